# %% wrong: every id above pad_id counts as real, so the ids below it are taken for padding where pad_id is not 0
# true: smaller_ids_hidden
def padding_mask(ids, pad_id):
    mask = ids > pad_id
    return mask[:, None, :]


# %% wrong: only the length is counted and the first so many places are called real, wherever the padding stands
# true: real_tokens_counted
def padding_mask(ids, pad_id):
    lengths = (ids != pad_id).sum(dim=1)  # (B,)
    positions = torch.arange(ids.size(1), device=ids.device)
    mask = positions.unsqueeze(0) < lengths.unsqueeze(1)
    return mask.view(ids.shape[0], 1, -1).bool()


# %% wrong: the mask is of float ones and zeros instead of boolean
# true: numbers_not_booleans
def padding_mask(ids, pad_id):
    mask = torch.ones_like(ids, dtype=torch.float32)
    mask[ids == pad_id] = 0.0
    return mask.unsqueeze(-2)


# %% right: torch.eq turned round, the axis put in by reshape
def padding_mask(ids, pad_id):
    batch, length = ids.shape
    is_pad = torch.eq(ids, pad_id)
    return torch.logical_not(is_pad).reshape(batch, 1, length)
