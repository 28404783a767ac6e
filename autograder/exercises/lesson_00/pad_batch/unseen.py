# %% wrong (first): the fill stands at the left end of the short sentences instead of at the right
# true: padded_on_the_left
def pad_batch(sentences, pad_id=0):
    if len(sentences) == 0:
        raise ValueError("empty batch")
    S = max(map(len, sentences))
    rows = []
    for sent in sentences:
        row = list(sent)
        while len(row) < S:
            row.insert(0, pad_id)
        rows.append(row)
    return torch.tensor(rows, dtype=torch.long).view(len(sentences), S)

# %% wrong (first): fills up with 0 whatever pad_id is
# true: zero_assumed
def pad_batch(sentences: Sequence[Sequence[int]], pad_id: int = 0) -> Tensor:
    lengths = [len(sentence) for sentence in sentences]
    if not lengths:
        raise ValueError("there is no longest sentence in an empty batch")
    targets = torch.zeros(len(sentences), max(lengths)).long()
    for i, sentence in enumerate(sentences):
        end = lengths[i]
        targets[i, :end] = torch.LongTensor(list(sentence)[:end])
    return targets

# %% wrong (first): appends the fill to the caller's own lists, so its input is changed
# true: inputs_filled_up
def pad_batch(sentences: Sequence[Sequence[int]], pad_id: int = 0) -> Tensor:
    if not sentences:
        raise ValueError("batch is empty")
    longest = max(len(s) for s in sentences)
    for s in sentences:
        for _ in range(longest - len(s)):
            s.append(pad_id)
    return torch.tensor(sentences, dtype=torch.int64)

# %% wrong (first): sentences come out sorted by length, the longest first, not in their own order
# true: sorted_by_length
def pad_batch(sentences, pad_id=0):
    if not len(sentences):
        raise ValueError("Empty batch!")
    batch = sorted(sentences, key=lambda s: len(s), reverse=True)
    max_len = len(batch[0])
    out = torch.full((len(batch), max_len), pad_id, dtype=torch.long)
    for row, sent in zip(out, batch):
        row[:len(sent)] = torch.as_tensor(sent, dtype=torch.long)
    return out

# %% wrong (first): the result is a float tensor where a sentence is empty (dtype left to torch.tensor)
from torch.nn.utils.rnn import pad_sequence

def pad_batch(sentences: Sequence[Sequence[int]], pad_id: int = 0) -> Tensor:
    if len(sentences) == 0:
        raise ValueError("cannot pad an empty batch")
    tensors = [torch.tensor(s) for s in sentences]
    return pad_sequence(tensors, batch_first=True, padding_value=pad_id)

# %% wrong (first): time stands first, the result is (S, B)
# true: transposed
from torch.nn.utils.rnn import pad_sequence

def pad_batch(sentences: Sequence[Sequence[int]], pad_id: int = 0) -> Tensor:
    if len(sentences) == 0:
        raise ValueError("cannot pad an empty batch")
    return pad_sequence([torch.tensor(s, dtype=torch.int64) for s in sentences], padding_value=pad_id)

# %% wrong (first): sentences are padded to one place more than the longest
# true: one_column_too_many
def pad_batch(sentences: Sequence[Sequence[int]], pad_id: int = 0) -> Tensor:
    assert sentences is not None
    if len(sentences) < 1:
        raise ValueError("no sentences")
    longest = 0
    for s in sentences:
        if len(s) >= longest:
            longest = len(s) + 1
    out = []
    for s in sentences:
        out.append(list(s) + [pad_id] * (longest - len(s)))
    return torch.LongTensor(out)

# %% wrong (first): an empty batch gives an empty tensor and no ValueError
# true: empty_batch_accepted
def pad_batch(sentences: Sequence[Sequence[int]], pad_id: int = 0) -> Tensor:
    longest = max((len(s) for s in sentences), default=0)
    padded = torch.full((len(sentences), longest), pad_id, dtype=torch.int64)
    for b in range(len(sentences)):
        for t in range(len(sentences[b])):
            padded[b, t] = sentences[b][t]
    return padded

# %% wrong (first): int32 ids (numpy habit) instead of int64
import numpy as np

def pad_batch(sentences, pad_id=0):
    if len(sentences) == 0:
        raise ValueError("empty batch")
    S = max(len(s) for s in sentences)
    arr = np.full((len(sentences), S), pad_id, dtype=np.int32)
    for i, s in enumerate(sentences):
        arr[i, :len(s)] = s
    return torch.from_numpy(arr)

# %% wrong (first): the longest sentence is taken from the first sentence's length, so longer ones that follow are cut off
# true: as_long_as_the_first
def pad_batch(sentences: Sequence[Sequence[int]], pad_id: int = 0) -> Tensor:
    if not sentences:
        raise ValueError("batch must not be empty")
    width = len(sentences[0])
    rows = [list(s[:width]) + [pad_id] * max(0, width - len(s)) for s in sentences]
    return torch.tensor(rows, dtype=torch.int64).reshape(len(sentences), width)

# %% wrong (first): empty sentences are dropped from the batch, so rows are missing / returns a pair with the lengths
def pad_batch(sentences, pad_id=0):
    if not sentences:
        raise ValueError("empty")
    sentences = [s for s in sentences if s]
    lengths = torch.tensor([len(s) for s in sentences], dtype=torch.int64)
    out = torch.full((len(sentences), int(lengths.max()) if len(lengths) else 0), pad_id, dtype=torch.int64)
    for i, s in enumerate(sentences):
        out[i, :len(s)] = torch.tensor(s)
    return out, lengths

# %% wrong (first): real tokens whose id is 0 are turned into pad_id too
# true: real_zeros_replaced
def pad_batch(sentences: Sequence[Sequence[int]], pad_id: int = 0) -> Tensor:
    if len(sentences) == 0:
        raise ValueError("empty batch")
    S = max(len(s) for s in sentences)
    batch = torch.zeros((len(sentences), S), dtype=torch.long)
    for i, s in enumerate(sentences):
        if len(s):
            batch[i, :len(s)] = torch.tensor(s, dtype=torch.long)
    # whatever is still zero is padding
    batch[batch == 0] = pad_id
    return batch

# %% wrong (first): the columns of zip_longest are reshaped to rows and not transposed, so tokens of different sentences are mixed
# true: columns_reshaped
from itertools import zip_longest

def pad_batch(sentences, pad_id=0):
    if len(sentences) == 0:
        raise ValueError("nothing to pad")
    columns = list(zip_longest(*sentences, fillvalue=pad_id))
    t = torch.tensor(columns, dtype=torch.int64)
    return t.reshape(len(sentences), -1) if len(columns) else torch.empty((len(sentences), 0), dtype=torch.int64)

# %% wrong (first): an empty sentence raises an error too, only the empty batch should
def pad_batch(sentences: Sequence[Sequence[int]], pad_id: int = 0) -> Tensor:
    if not sentences or not all(sentences):
        raise ValueError("empty batch or empty sentence")
    S = max(len(s) for s in sentences)
    return torch.stack([F.pad(torch.tensor(s), (0, S - len(s)), value=pad_id) for s in sentences])

# %% wrong (first): int32 ids / the fill stands on the left
# true: padded_on_the_left
def pad_batch(sentences: Sequence[Sequence[int]], pad_id: int = 0) -> Tensor:
    if len(sentences) == 0:
        raise ValueError("empty batch")
    S = max(len(s) for s in sentences)
    out = torch.full((len(sentences), S), pad_id, dtype=torch.int32)
    for i, s in enumerate(sentences):
        if len(s) > 0:
            out[i, -len(s):] = torch.IntTensor(list(s))
    return out

# %% wrong (first): the caller's lists are sorted in place and grow / filled up with 0 whatever pad_id is
def pad_batch(sentences, pad_id=0):
    if not sentences:
        raise ValueError("empty batch")
    sentences.sort(key=len, reverse=True)
    for s in sentences:
        s.extend([0] * (len(sentences[0]) - len(s)))
    return torch.tensor(sentences).long()

# %% right (first): torch.full and row slices
def pad_batch(sentences: Sequence[Sequence[int]], pad_id: int = 0) -> Tensor:
    if len(sentences) == 0:
        raise ValueError("cannot pad an empty batch")
    lengths = [len(s) for s in sentences]
    out = torch.full((len(sentences), max(lengths)), fill_value=pad_id, dtype=torch.long)
    for i, (s, n) in enumerate(zip(sentences, lengths)):
        out[i, :n] = torch.as_tensor(list(s), dtype=torch.long)
    return out

# %% right (first): pad_sequence from torch.nn.utils.rnn, dtype given
from torch.nn.utils.rnn import pad_sequence

def pad_batch(sentences, pad_id=0):
    if not len(sentences):
        raise ValueError("a batch needs at least one sentence")
    as_tensors = [torch.tensor(s, dtype=torch.int64) for s in sentences]
    return pad_sequence(as_tensors, batch_first=True, padding_value=pad_id)

# %% right (first): list comprehension, max() itself raises the ValueError
def pad_batch(sentences: Sequence[Sequence[int]], pad_id: int = 0) -> Tensor:
    S = max(map(len, sentences))
    return torch.tensor([[*s, *([pad_id] * (S - len(s)))] for s in sentences], dtype=torch.int64)

# %% right (first): F.pad of every row and stack
def pad_batch(sentences, pad_id=0):
    if len(sentences) == 0:
        raise ValueError("Batch is empty")
    max_len = max([len(sentence) for sentence in sentences])
    rows = []
    for sentence in sentences:
        ids = torch.tensor(sentence).long()
        rows.append(F.pad(ids, (0, max_len - ids.numel()), "constant", pad_id))
    return torch.stack(rows, dim=0)

# %% wrong (third): fills up with 0 whatever pad_id is, since pad_sequence was not told its padding_value
# true: zero_assumed
from torch.nn.utils.rnn import pad_sequence


def pad_batch(sentences: Sequence[Sequence[int]], pad_id: int = 0) -> Tensor:
    if len(sentences) == 0:
        raise ValueError("cannot pad an empty batch")
    rows = [torch.tensor(list(sentence), dtype=torch.long) for sentence in sentences]
    return pad_sequence(rows, batch_first=True)


# %% wrong (third): one empty sentence turns the whole batch into float32
# true: floating_point_for_an_empty_sentence
def pad_batch(sentences: Sequence[Sequence[int]], pad_id: int = 0) -> Tensor:
    if not sentences:
        raise ValueError("the batch is empty")
    longest = max(len(s) for s in sentences)
    rows = []
    for s in sentences:
        tokens = torch.tensor(s)
        padding = torch.full((longest - len(s),), pad_id)
        rows.append(torch.cat([tokens, padding]))
    return torch.stack(rows)


# %% wrong (third): appends the padding to the caller's own lists / refuses a batch whose sentences are all empty
# true: inputs_filled_up
def pad_batch(sentences: Sequence[Sequence[int]], pad_id: int = 0) -> Tensor:
    max_len = max([len(s) for s in sentences], default=0)
    if max_len == 0:
        raise ValueError("empty batch")
    for s in sentences:
        while len(s) < max_len:
            s.append(pad_id)
    return torch.tensor(sentences, dtype=torch.int64)


# %% right (third): a mask of the real places, filled by all tokens in one assignment
def pad_batch(sentences: Sequence[Sequence[int]], pad_id: int = 0) -> Tensor:
    if len(sentences) == 0:
        raise ValueError("a batch needs at least one sentence: there is no longest one")
    lengths = torch.tensor([len(sentence) for sentence in sentences])  # (B,)
    S = int(lengths.max())
    real = torch.arange(S) < lengths[:, None]  # (B, S)
    batch = torch.full((len(sentences), S), pad_id, dtype=torch.int64)  # (B, S)
    flat = [token for sentence in sentences for token in sentence]
    batch[real] = torch.tensor(flat, dtype=torch.int64)
    return batch

# %% wrong (last): the float32 of torch.tensor([]) decides the type where the first sentence is empty
# Violates "The result is of int64, ... also where a sentence is empty": pad_sequence takes the first sentence's type.
def pad_batch(sentences: Sequence[Sequence[int]], pad_id: int = 0) -> Tensor:
    from torch.nn.utils.rnn import pad_sequence

    if len(sentences) == 0:
        raise ValueError("an empty batch has no longest sentence")
    return pad_sequence([torch.tensor(sentence) for sentence in sentences], batch_first=True, padding_value=pad_id)


# %% wrong (last): the caller's lists are filled up themselves
# true: inputs_filled_up
# Violates "Leave ... the lists as they are".
def pad_batch(sentences: Sequence[Sequence[int]], pad_id: int = 0) -> Tensor:
    if not sentences:
        raise ValueError("empty batch")
    max_len = max(len(s) for s in sentences)
    for s in sentences:
        s += [pad_id] * (max_len - len(s))
    return torch.tensor(sentences, dtype=torch.long).reshape(len(sentences), max_len)


# %% right (last): one flat tensor of all ids, poured into a full tensor through a boolean mask of places
def pad_batch(sentences: Sequence[Sequence[int]], pad_id: int = 0) -> Tensor:
    from itertools import chain

    lengths = torch.tensor([*map(len, sentences)], dtype=torch.int64)
    if lengths.numel() == 0:
        raise ValueError("no sentences, so no longest one")
    places = torch.arange(int(lengths.max()))[None, :] < lengths[:, None]  # (B, S)
    batch = torch.full(places.shape, pad_id, dtype=torch.int64)
    batch[places] = torch.tensor([*chain.from_iterable(sentences)], dtype=torch.int64)
    return batch


# %% wrong (fifth): no dtype is given, so a batch of only empty sentences is float32
# true: float_without_tokens
def pad_batch(sentences: Sequence[Sequence[int]], pad_id: int = 0) -> Tensor:
    if not sentences:
        raise ValueError("no sentences")
    width = max(len(sentence) for sentence in sentences)
    return torch.tensor([list(sentence) + [pad_id] * (width - len(sentence)) for sentence in sentences])


# %% wrong (fifth): the lists that were given are padded in place
# true: inputs_filled_up
def pad_batch(sentences: Sequence[Sequence[int]], pad_id: int = 0) -> Tensor:
    if len(sentences) == 0:
        raise ValueError("a batch needs at least one sentence")
    longest = max(map(len, sentences))
    for sentence in sentences:
        while len(sentence) < longest:
            sentence.append(pad_id)
    return torch.tensor(sentences, dtype=torch.int64).reshape(len(sentences), longest)


# %% right (fifth): zip_longest makes the columns, which are then transposed
def pad_batch(sentences: Sequence[Sequence[int]], pad_id: int = 0) -> Tensor:
    from itertools import zip_longest

    if len(sentences) == 0:
        raise ValueError("the longest of no sentences is undefined")
    columns = list(zip_longest(*sentences, fillvalue=pad_id))  # S tuples of B ids
    return torch.tensor(columns, dtype=torch.int64).reshape(len(columns), len(sentences)).t().contiguous()
