# %% right: ne and none
def padding_mask(ids, pad_id):
    return ids.ne(pad_id)[:, None]


# %% right: not equal
def padding_mask(ids, pad_id):
    return ~(ids == pad_id).unsqueeze(-2)


# %% right: logical not and view
def padding_mask(ids, pad_id):
    B, S = ids.shape
    return torch.logical_not(torch.eq(ids, pad_id)).view(B, 1, S)


# %% right: token by token
def padding_mask(ids, pad_id):
    return torch.tensor([[[token != pad_id for token in sentence]] for sentence in ids.tolist()])


# %% right: difference as bool
def padding_mask(ids, pad_id):
    return (ids - pad_id).bool().reshape(ids.shape[0], 1, -1)


# %% right: filled in place
def padding_mask(ids, pad_id):
    mask = torch.ones_like(ids, dtype=torch.bool)
    mask[ids == pad_id] = False
    return mask[:, None, :]


# %% right: where true
def padding_mask(ids, pad_id):
    return torch.where(ids == pad_id, False, True).unsqueeze(dim=1)


# %% wrong: ones at padding
# true: inverted, numbers_not_booleans
def padding_mask(ids, pad_id):
    return (ids == pad_id).to(torch.int64).view(ids.size(0), 1, ids.size(1))


# %% trivial: all true
def padding_mask(ids, pad_id):
    return torch.ones(ids.size(0), 1, ids.size(1), dtype=torch.bool)


# %% trivial: all false
def padding_mask(ids, pad_id):
    return torch.zeros(ids.size(0), 1, ids.size(1), dtype=torch.bool)


# %% trivial: the input itself
def padding_mask(ids, pad_id):
    return ids


# %% trivial: noise
def padding_mask(ids, pad_id):
    return torch.rand(ids.size(0), 1, ids.size(1)) < 0.5
