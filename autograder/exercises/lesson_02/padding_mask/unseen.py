# %% wrong (first): True where there is padding, the other way round
# true: inverted
def padding_mask(ids, pad_id):
    return (ids == pad_id).unsqueeze(1)

# %% wrong (first): the axis of the queries is missing, (B, S)
# true: axis_of_queries_missing
def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    return ids != pad_id

# %% wrong (first): padding is taken for id 0 whatever pad_id is
# true: zero_assumed
def padding_mask(ids, pad_id=0):
    return ids.bool().unsqueeze(1)

# %% wrong (first): the new axis stands at the end, (B, S, 1)
# true: queries_masked
def padding_mask(ids, pad_id):
    mask = ids.ne(pad_id)
    return mask.unsqueeze(-1)

# %% wrong (first): two new axes, as for several heads, (B, 1, 1, S)
# true: axis_of_heads_already
def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    src_mask = (ids != pad_id).unsqueeze(1).unsqueeze(2)
    return src_mask

# %% wrong (first): floats 1.0 and 0.0 instead of booleans
# true: numbers_not_booleans
def padding_mask(ids, pad_id):
    return (ids != pad_id).float()[:, None, :]

# %% wrong (first): a mask to be added (0 and minus infinity), not a boolean one
# true: added_to_scores
def padding_mask(ids, pad_id):
    mask = torch.zeros(ids.shape)
    mask.masked_fill_(ids == pad_id, float("-inf"))
    return mask.view(ids.size(0), 1, ids.size(1))

# %% wrong (first): real is what lies before the sentence's length, so padding that stands elsewhere than at the end is not seen
# true: real_tokens_counted
def padding_mask(ids, pad_id):
    lengths = (ids != pad_id).sum(dim=1)
    positions = torch.arange(ids.size(1), device=ids.device)
    return (positions[None, :] < lengths[:, None])[:, None]

# %% wrong (first): everything behind the first padding is masked, real tokens too
# true: hidden_from_the_first_padding_on
def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    real = (ids != pad_id).long().cumprod(dim=1)
    return real.bool().unsqueeze(1)

# %% wrong (first): compares with > in place of not equal, ids below pad_id are masked
# true: smaller_ids_hidden
def padding_mask(ids, pad_id):
    return torch.gt(ids, pad_id).reshape(ids.shape[0], 1, -1)

# %% wrong (first): (B, S, S), padding is masked as a query as well as a key
# true: padded_queries_hidden_too
def padding_mask(ids, pad_id):
    real = ids != pad_id
    return real.unsqueeze(1) & real.unsqueeze(2)

# %% wrong (first): the new axis stands in front of the batch, (1, B, S)
# true: sentences_as_queries
def padding_mask(ids, pad_id):
    assert ids.dim() == 2
    return torch.not_equal(ids, pad_id)[None]

# %% wrong (first): uint8 in place of bool (numpy and old PyTorch habit)
# true: numbers_not_booleans
import numpy as np

def padding_mask(ids, pad_id):
    mask = (ids.cpu().numpy() != pad_id).astype(np.uint8)
    return torch.from_numpy(mask[:, np.newaxis, :])

# %% wrong (first): a causal mask is put on top, so keys to the right are hidden / shape (B, S, S)
def padding_mask(ids, pad_id):
    S = ids.size(1)
    pad = (ids != pad_id).unsqueeze(1)
    no_peek = torch.tril(torch.ones(1, S, S, dtype=torch.bool))
    return pad & no_peek

# %% wrong (first): the mask is repeated for S queries, (B, S, S), so it does not fit any other number of queries
# true: spelled_out_for_every_query
def padding_mask(ids, pad_id):
    B, S = ids.size()
    pad_attn_mask = ids.data.ne(pad_id).unsqueeze(1)
    return pad_attn_mask.expand(B, S, S)

# %% wrong (first): the caller's ids are overwritten with zeros and ones
# true: ids_overwritten
def padding_mask(ids, pad_id):
    pad = ids == pad_id
    ids[~pad] = 1
    ids[pad] = 0
    return ids.bool().unsqueeze(1)

# %% wrong (first): True at padding / the axis of the queries is missing
# true: axis_of_queries_missing, inverted
def padding_mask(ids, pad_id):
    key_padding_mask = torch.zeros_like(ids, dtype=torch.bool)
    key_padding_mask[ids == pad_id] = True
    return key_padding_mask

# %% wrong (first): ints, not booleans / the axis stands last
def padding_mask(ids, pad_id):
    rows = [[int(i != pad_id) for i in sentence] for sentence in ids.tolist()]
    return torch.tensor(rows).unsqueeze(2)

# %% right (first): not equal and an axis
def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    return (ids != pad_id)[:, None, :]

# %% right (first): ne, view
def padding_mask(ids, pad_id):
    B, S = ids.shape
    mask = ids.ne(pad_id).view(B, 1, S)
    assert mask.dtype == torch.bool
    return mask

# %% right (first): equal, negated, unsqueezed by numpy-like None
def padding_mask(ids, pad_id):
    is_pad = torch.eq(ids, torch.full_like(ids, pad_id))
    return torch.logical_not(is_pad).unsqueeze(dim=-2)

# %% wrong (second): every id above pad_id counts as real, so the ids below it are taken for padding where pad_id is not 0
# true: smaller_ids_hidden
def padding_mask(ids, pad_id):
    mask = ids > pad_id
    return mask[:, None, :]


# %% wrong (second): only the length is counted and the first so many places are called real, wherever the padding stands
# true: real_tokens_counted
def padding_mask(ids, pad_id):
    lengths = (ids != pad_id).sum(dim=1)  # (B,)
    positions = torch.arange(ids.size(1), device=ids.device)
    mask = positions.unsqueeze(0) < lengths.unsqueeze(1)
    return mask.view(ids.shape[0], 1, -1).bool()


# %% wrong (second): the mask is of float ones and zeros instead of boolean
# true: numbers_not_booleans
def padding_mask(ids, pad_id):
    mask = torch.ones_like(ids, dtype=torch.float32)
    mask[ids == pad_id] = 0.0
    return mask.unsqueeze(-2)


# %% right (second): torch.eq turned round, the axis put in by reshape
def padding_mask(ids, pad_id):
    batch, length = ids.shape
    is_pad = torch.eq(ids, pad_id)
    return torch.logical_not(is_pad).reshape(batch, 1, length)

# %% wrong (third): one axis too many, (B, 1, 1, S) as for several heads
# true: axis_of_heads_already
def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    return (ids != pad_id).unsqueeze(1).unsqueeze(2)


# %% wrong (third): counts the real tokens and marks as many from the left, so that padding in front or in between is seen
# true: real_tokens_counted
def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    lengths = (ids != pad_id).sum(dim=1)
    positions = torch.arange(ids.size(1), device=ids.device)
    return (positions[None, :] < lengths[:, None])[:, None, :]


# %% wrong (third): ids below pad_id count as padding too / the mask is 0 and 1 instead of boolean
# true: smaller_ids_hidden
# half: numbers_not_booleans
def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    return torch.where(ids > pad_id, 1, 0).unsqueeze(1)


# %% right (third): isin with invert
def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    B, S = ids.shape
    return torch.isin(ids, pad_id, invert=True).reshape(B, 1, S)

# %% wrong (last): a sentence's real tokens are counted, and as many places from the left are taken for real
# true: real_tokens_counted
# Violates "pad_id may stand anywhere in a sentence".
def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    lengths = (ids != pad_id).sum(dim=1, keepdim=True)  # (B, 1)
    positions = torch.arange(ids.size(1), device=ids.device).unsqueeze(0)  # (1, S)
    return (positions < lengths).unsqueeze(1)


# %% wrong (last): True where there is padding, like PyTorch's key_padding_mask / an axis for the heads as well, (B, 1, 1, S)
# true: inverted, axis_of_heads_already
# Violates "True = may attend" and "of shape (B, 1, S)".
def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    return (ids == pad_id).unsqueeze(1).unsqueeze(2)


# %% right (last): a difference turned into a boolean
def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    return ids.sub(pad_id).to(torch.bool).unsqueeze(-2)


# %% wrong (fifth): counts the real tokens and assumes that all padding is at the end
# true: real_tokens_counted
def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    lengths = (ids != pad_id).sum(dim=1)  # (B,)
    positions = torch.arange(ids.size(1), device=ids.device)  # (S,)
    return (positions[None, :] < lengths[:, None]).unsqueeze(1)  # (B, 1, S)
