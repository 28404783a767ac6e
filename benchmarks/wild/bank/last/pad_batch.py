# %% wrong: the float32 of torch.tensor([]) decides the type where the first sentence is empty
# Violates "The result is of int64, ... also where a sentence is empty": pad_sequence takes the first sentence's type.
def pad_batch(sentences: Sequence[Sequence[int]], pad_id: int = 0) -> Tensor:
    from torch.nn.utils.rnn import pad_sequence

    if len(sentences) == 0:
        raise ValueError("an empty batch has no longest sentence")
    return pad_sequence([torch.tensor(sentence) for sentence in sentences], batch_first=True, padding_value=pad_id)


# %% wrong: the caller's lists are filled up themselves
# true: inputs_filled_up
# Violates "Leave ... the lists as they are".
def pad_batch(sentences: Sequence[Sequence[int]], pad_id: int = 0) -> Tensor:
    if not sentences:
        raise ValueError("empty batch")
    max_len = max(len(s) for s in sentences)
    for s in sentences:
        s += [pad_id] * (max_len - len(s))
    return torch.tensor(sentences, dtype=torch.long).reshape(len(sentences), max_len)


# %% right: one flat tensor of all ids, poured into a full tensor through a boolean mask of places
def pad_batch(sentences: Sequence[Sequence[int]], pad_id: int = 0) -> Tensor:
    from itertools import chain

    lengths = torch.tensor([*map(len, sentences)], dtype=torch.int64)
    if lengths.numel() == 0:
        raise ValueError("no sentences, so no longest one")
    places = torch.arange(int(lengths.max()))[None, :] < lengths[:, None]  # (B, S)
    batch = torch.full(places.shape, pad_id, dtype=torch.int64)
    batch[places] = torch.tensor([*chain.from_iterable(sentences)], dtype=torch.int64)
    return batch
