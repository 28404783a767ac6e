# %% wrong: the padding is found by counting real tokens and hiding as many places at the end, which is right only where padding stands behind the sentence
# true: as_long_as_the_real_ones
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    B, T = ids.shape
    lengths = (ids != pad_id).sum(dim=1)
    arange = torch.arange(T, device=ids.device)
    real = arange[None, :] < lengths[:, None]
    return real[:, None, :] & causal_mask(T).to(ids.device)[None]

# %% wrong: the diagonal is always let through to avoid empty rows, so a query of padding sees itself
# true: own_token_always_seen
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    seq_len = ids.size(1)
    tril = torch.tril(torch.ones(seq_len, seq_len, device=ids.device)).bool()
    eye = torch.eye(seq_len, device=ids.device).bool()
    keep = ids.ne(pad_id).unsqueeze(1)  # (B, 1, T)
    mask = (keep & tril) | eye  # no row may be empty, otherwise the softmax gives nan
    return mask

# %% wrong: the mask is of whole numbers 0 and 1 and not boolean / a query of padding sees nothing at all
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    real = (ids != pad_id).long()
    pairs = torch.einsum("bi,bj->bij", real, real)
    triangle = torch.tril(torch.ones(ids.size(1), ids.size(1), dtype=torch.long, device=ids.device))
    return pairs * triangle

# %% right: places compared by broadcasting, then padding columns set to False
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    batch, length = ids.shape
    place = torch.arange(length, device=ids.device)
    not_later = (place.view(1, 1, -1) <= place.view(1, -1, 1)).repeat(batch, 1, 1)
    is_padding = torch.eq(ids, pad_id)
    return not_later.masked_fill(is_padding[:, None, :], False)
