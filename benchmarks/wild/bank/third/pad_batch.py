# %% wrong: fills up with 0 whatever pad_id is, since pad_sequence was not told its padding_value
# true: zero_assumed
from torch.nn.utils.rnn import pad_sequence


def pad_batch(sentences: Sequence[Sequence[int]], pad_id: int = 0) -> Tensor:
    if len(sentences) == 0:
        raise ValueError("cannot pad an empty batch")
    rows = [torch.tensor(list(sentence), dtype=torch.long) for sentence in sentences]
    return pad_sequence(rows, batch_first=True)


# %% wrong: one empty sentence turns the whole batch into float32
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


# %% wrong: appends the padding to the caller's own lists / refuses a batch whose sentences are all empty
# true: inputs_filled_up
def pad_batch(sentences: Sequence[Sequence[int]], pad_id: int = 0) -> Tensor:
    max_len = max([len(s) for s in sentences], default=0)
    if max_len == 0:
        raise ValueError("empty batch")
    for s in sentences:
        while len(s) < max_len:
            s.append(pad_id)
    return torch.tensor(sentences, dtype=torch.int64)


# %% right: a mask of the real places, filled by all tokens in one assignment
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
