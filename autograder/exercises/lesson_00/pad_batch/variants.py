# %% right: lists first
def pad_batch(sentences, pad_id=0):
    longest = max(len(s) for s in sentences)  # of nothing, max raises the ValueError that is asked for
    return torch.tensor([list(s) + [pad_id] * (longest - len(s)) for s in sentences], dtype=torch.long)


# %% right: torchs own
def pad_batch(sentences, pad_id=0):
    if len(sentences) == 0:
        raise ValueError("nothing to pad")
    rows = [torch.tensor(s, dtype=torch.long) for s in sentences]
    return nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=pad_id)


# %% right: token by token
def pad_batch(sentences, pad_id=0):
    lengths = [len(s) for s in sentences]
    if not lengths:
        raise ValueError("no sentences")
    batch = torch.zeros(len(lengths), max(lengths), dtype=torch.int64)
    for b in range(len(lengths)):
        for s in range(max(lengths)):
            batch[b, s] = sentences[b][s] if s < lengths[b] else pad_id
    return batch


# %% right: each row padded
def pad_batch(sentences, pad_id=0):
    if not sentences:
        raise ValueError("no sentences")
    longest = len(max(sentences, key=len))
    rows = [F.pad(torch.LongTensor(s), (0, longest - len(s)), value=pad_id) for s in sentences]
    return torch.stack(rows)


# %% right: across then turned
def pad_batch(sentences, pad_id=0):
    from itertools import zip_longest

    if not sentences:
        raise ValueError("no sentences")
    columns = list(zip_longest(*sentences, fillvalue=pad_id))
    return torch.tensor(columns, dtype=torch.int64).reshape(-1, len(sentences)).T


# %% right: through numpy
def pad_batch(sentences, pad_id=0):
    import numpy as np

    batch = np.full((len(sentences), max(map(len, sentences))), pad_id)
    for b, sentence in enumerate(sentences):
        batch[b, : len(sentence)] = sentence
    return torch.from_numpy(batch)


# %% wrong: zip stops early
# true: cut_to_the_shortest
def pad_batch(sentences, pad_id=0):
    if not sentences:
        raise ValueError("no sentences")
    columns = list(zip(*sentences, strict=False))
    return torch.tensor(columns, dtype=torch.int64).reshape(-1, len(sentences)).T


# %% wrong: plain lists
# true: lists_returned
def pad_batch(sentences, pad_id=0):
    longest = max(len(s) for s in sentences)
    return [s + [pad_id] * (longest - len(s)) for s in sentences]


# %% wrong: an assertion
# true: another_error
def pad_batch(sentences, pad_id=0):
    assert sentences, "no sentences"
    longest = max(len(s) for s in sentences)
    return torch.tensor([s + [pad_id] * (longest - len(s)) for s in sentences], dtype=torch.long)


# %% trivial: zeros
def pad_batch(sentences, pad_id=0):
    return torch.zeros(len(sentences), max(map(len, sentences)), dtype=torch.int64)


# %% trivial: only padding
def pad_batch(sentences, pad_id=0):
    return torch.full((len(sentences), max(map(len, sentences))), pad_id)


# %% trivial: the input
def pad_batch(sentences, pad_id=0):
    return sentences


# %% trivial: noise
def pad_batch(sentences, pad_id=0):
    return torch.randint(0, 99, (len(sentences), max(map(len, sentences))))
