# %% wrong: one axis too many, (B, 1, 1, S) as for several heads
# true: axis_of_heads_already
def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    return (ids != pad_id).unsqueeze(1).unsqueeze(2)


# %% wrong: counts the real tokens and marks as many from the left, so that padding in front or in between is seen
# true: real_tokens_counted
def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    lengths = (ids != pad_id).sum(dim=1)
    positions = torch.arange(ids.size(1), device=ids.device)
    return (positions[None, :] < lengths[:, None])[:, None, :]


# %% wrong: ids below pad_id count as padding too / the mask is 0 and 1 instead of boolean
# true: smaller_ids_hidden
# half: numbers_not_booleans
def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    return torch.where(ids > pad_id, 1, 0).unsqueeze(1)


# %% right: isin with invert
def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    B, S = ids.shape
    return torch.isin(ids, pad_id, invert=True).reshape(B, 1, S)
