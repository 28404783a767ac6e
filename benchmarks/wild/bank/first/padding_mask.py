# %% wrong: True where there is padding, the other way round
# true: inverted
def padding_mask(ids, pad_id):
    return (ids == pad_id).unsqueeze(1)

# %% wrong: the axis of the queries is missing, (B, S)
# true: axis_of_queries_missing
def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    return ids != pad_id

# %% wrong: padding is taken for id 0 whatever pad_id is
# true: zero_assumed
def padding_mask(ids, pad_id=0):
    return ids.bool().unsqueeze(1)

# %% wrong: the new axis stands at the end, (B, S, 1)
# true: queries_masked
def padding_mask(ids, pad_id):
    mask = ids.ne(pad_id)
    return mask.unsqueeze(-1)

# %% wrong: two new axes, as for several heads, (B, 1, 1, S)
# true: axis_of_heads_already
def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    src_mask = (ids != pad_id).unsqueeze(1).unsqueeze(2)
    return src_mask

# %% wrong: floats 1.0 and 0.0 instead of booleans
# true: numbers_not_booleans
def padding_mask(ids, pad_id):
    return (ids != pad_id).float()[:, None, :]

# %% wrong: a mask to be added (0 and minus infinity), not a boolean one
# true: added_to_scores
def padding_mask(ids, pad_id):
    mask = torch.zeros(ids.shape)
    mask.masked_fill_(ids == pad_id, float("-inf"))
    return mask.view(ids.size(0), 1, ids.size(1))

# %% wrong: real is what lies before the sentence's length, so padding that stands elsewhere than at the end is not seen
# true: real_tokens_counted
def padding_mask(ids, pad_id):
    lengths = (ids != pad_id).sum(dim=1)
    positions = torch.arange(ids.size(1), device=ids.device)
    return (positions[None, :] < lengths[:, None])[:, None]

# %% wrong: everything behind the first padding is masked, real tokens too
# true: hidden_from_the_first_padding_on
def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    real = (ids != pad_id).long().cumprod(dim=1)
    return real.bool().unsqueeze(1)

# %% wrong: compares with > in place of not equal, ids below pad_id are masked
# true: smaller_ids_hidden
def padding_mask(ids, pad_id):
    return torch.gt(ids, pad_id).reshape(ids.shape[0], 1, -1)

# %% wrong: (B, S, S), padding is masked as a query as well as a key
# true: padded_queries_hidden_too
def padding_mask(ids, pad_id):
    real = ids != pad_id
    return real.unsqueeze(1) & real.unsqueeze(2)

# %% wrong: the new axis stands in front of the batch, (1, B, S)
# true: sentences_as_queries
def padding_mask(ids, pad_id):
    assert ids.dim() == 2
    return torch.not_equal(ids, pad_id)[None]

# %% wrong: uint8 in place of bool (numpy and old PyTorch habit)
# true: numbers_not_booleans
import numpy as np

def padding_mask(ids, pad_id):
    mask = (ids.cpu().numpy() != pad_id).astype(np.uint8)
    return torch.from_numpy(mask[:, np.newaxis, :])

# %% wrong: a causal mask is put on top, so keys to the right are hidden / shape (B, S, S)
def padding_mask(ids, pad_id):
    S = ids.size(1)
    pad = (ids != pad_id).unsqueeze(1)
    no_peek = torch.tril(torch.ones(1, S, S, dtype=torch.bool))
    return pad & no_peek

# %% wrong: the mask is repeated for S queries, (B, S, S), so it does not fit any other number of queries
# true: spelled_out_for_every_query
def padding_mask(ids, pad_id):
    B, S = ids.size()
    pad_attn_mask = ids.data.ne(pad_id).unsqueeze(1)
    return pad_attn_mask.expand(B, S, S)

# %% wrong: the caller's ids are overwritten with zeros and ones
# true: ids_overwritten
def padding_mask(ids, pad_id):
    pad = ids == pad_id
    ids[~pad] = 1
    ids[pad] = 0
    return ids.bool().unsqueeze(1)

# %% wrong: True at padding / the axis of the queries is missing
# true: axis_of_queries_missing, inverted
def padding_mask(ids, pad_id):
    key_padding_mask = torch.zeros_like(ids, dtype=torch.bool)
    key_padding_mask[ids == pad_id] = True
    return key_padding_mask

# %% wrong: ints, not booleans / the axis stands last
def padding_mask(ids, pad_id):
    rows = [[int(i != pad_id) for i in sentence] for sentence in ids.tolist()]
    return torch.tensor(rows).unsqueeze(2)

# %% right: not equal and an axis
def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    return (ids != pad_id)[:, None, :]

# %% right: ne, view
def padding_mask(ids, pad_id):
    B, S = ids.shape
    mask = ids.ne(pad_id).view(B, 1, S)
    assert mask.dtype == torch.bool
    return mask

# %% right: equal, negated, unsqueezed by numpy-like None
def padding_mask(ids, pad_id):
    is_pad = torch.eq(ids, torch.full_like(ids, pad_id))
    return torch.logical_not(is_pad).unsqueeze(dim=-2)
