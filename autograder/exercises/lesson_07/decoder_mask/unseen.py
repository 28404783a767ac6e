# %% wrong (first): the two masks are joined by "or": a key needs to be real or earlier, not both
# true: one_of_both_is_enough
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    real = padding_mask(ids, pad_id)
    past = causal_mask(ids.size(1))
    return real | past

# %% wrong (first): queries of padding are hidden too, they see nothing although earlier real tokens are there
# true: padded_queries_hidden_too
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    real = ids.ne(pad_id)
    both_real = real.unsqueeze(1) & real.unsqueeze(2)
    return both_real & causal_mask(ids.shape[1])

# %% wrong (first): padding is hidden among the queries (rows) and not among the keys (columns)
# true: queries_masked
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    pad_mask = (ids != pad_id).unsqueeze(-1)  # (B, T, 1)
    seq_len = ids.size(1)
    sub_mask = torch.tril(torch.ones((seq_len, seq_len))).bool()
    return pad_mask & sub_mask

# %% wrong (first): there is an axis for the heads already, (B, 1, T, T)
# true: axis_of_heads_already
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    key_is_real = ids.ne(pad_id)[:, None, None, :]
    no_future = torch.ones(ids.shape[1], ids.shape[1]).tril().bool()
    return torch.logical_and(key_is_real, no_future)

# %% wrong (first): pad_id is ignored, the token with the number 0 is taken for padding
# true: zero_assumed
def decoder_mask(ids: Tensor, pad_id: int = 0) -> Tensor:
    real = ids.bool().unsqueeze(1)
    return real & causal_mask(ids.size(1))

# %% wrong (first): padding is counted and believed to stand behind the sentence
# true: as_long_as_the_real_ones
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    B, T = ids.shape
    lengths = (ids != pad_id).sum(dim=1)
    mask = torch.zeros(B, T, T, dtype=torch.bool)
    for b in range(B):
        for t in range(T):
            mask[b, t, : min(t + 1, int(lengths[b]))] = True
    return mask

# %% wrong (first): True means blocked
# true: true_means_blocked
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    pad_mask = (ids == pad_id).unsqueeze(1)
    seq_mask = torch.tril(torch.ones(ids.size(1), ids.size(1))) == 0
    return pad_mask | seq_mask

# %% wrong (first): every query sees itself even where it is padding (the diagonal is forced to True)
# true: own_token_always_seen
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    mask = causal_mask(ids.size(1)) & padding_mask(ids, pad_id)
    eye = torch.eye(ids.size(1), dtype=torch.bool)
    return mask | eye  # no row may be empty, or softmax is nan

# %% wrong (first): everything behind the first padding is hidden, real or not
# true: hidden_after_the_first_padding
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    real = (ids != pad_id).long().cumprod(dim=1).bool()
    return real[:, None, :] & causal_mask(ids.shape[-1])[None]

# %% wrong (first): a product of numbers comes back, not booleans
# true: numbers_not_booleans
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    real = padding_mask(ids, pad_id).float()
    past = causal_mask(ids.size(1)).float()
    return real * past

# %% wrong (first): a batch of one sentence loses its first axis, (T, T) comes back
# true: batch_of_one_lost
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    pad = padding_mask(ids, pad_id).squeeze().unsqueeze(-2)
    causal = torch.ones(ids.size(1), ids.size(1), dtype=torch.bool).tril()
    return pad & causal

# %% wrong (first): a token does not see itself / padding queries see nothing
# true: padded_queries_hidden_too, own_token_hidden
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    T = ids.size(1)
    keep = (ids != pad_id)
    before = torch.tril(torch.ones(T, T, dtype=torch.uint8), diagonal=-1).bool()
    return before.unsqueeze(0) & keep.unsqueeze(1) & keep.unsqueeze(2)

# %% wrong (first): the caller's ids are changed (padding becomes 0) / the word with the number 0 is hidden as well
# true: padding_overwritten_with_0
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    ids[ids == pad_id] = 0
    return (ids != 0).unsqueeze(1) & causal_mask(ids.size(1))

# %% wrong (first): it compares counts of real tokens, so padding is never hidden, and padding behind a word counts as no later than it
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    position = (ids != pad_id).cumsum(dim=1)
    return position[:, None, :] <= position[:, :, None]

# %% wrong (first): each query sees the token after its own / padding is taken to be 0
# true: zero_assumed, one_ahead_visible
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    assert ids.dim() == 2
    real = ids > 0
    ahead = torch.triu(torch.ones(ids.size(1), ids.size(1)), diagonal=2)
    return (1 - ahead).bool().unsqueeze(0) & real.unsqueeze(1)

# %% right (first): both masks joined with &
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    return padding_mask(ids, pad_id) & causal_mask(ids.size(-1)).to(ids.device)

# %% right (first): by hand, no earlier part used
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    batch, length = ids.shape
    place = torch.arange(length, device=ids.device)
    allowed = (place.view(1, length, 1) >= place.view(1, 1, length)).repeat(batch, 1, 1)
    allowed = allowed.masked_fill(ids.eq(pad_id).view(batch, 1, length), False)
    return allowed

# %% right (first): three loops
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    B, T = ids.size()
    mask = torch.zeros((B, T, T), dtype=torch.bool)
    for b in range(B):
        for q in range(T):
            for k in range(q + 1):
                if int(ids[b, k]) != pad_id:
                    mask[b, q, k] = True
    return mask

# %% right (first): floats inside, multiplied, and cast at the end
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    real = 1.0 - (ids == pad_id).float()
    lower = torch.ones(ids.size(1), ids.size(1)).tril()
    return torch.einsum("bk,qk->bqk", real, lower) > 0.5

# %% wrong (second): the padding is found by counting real tokens and hiding as many places at the end, which is right only where padding stands behind the sentence
# true: as_long_as_the_real_ones
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    B, T = ids.shape
    lengths = (ids != pad_id).sum(dim=1)
    arange = torch.arange(T, device=ids.device)
    real = arange[None, :] < lengths[:, None]
    return real[:, None, :] & causal_mask(T).to(ids.device)[None]

# %% wrong (second): the diagonal is always let through to avoid empty rows, so a query of padding sees itself
# true: own_token_always_seen
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    seq_len = ids.size(1)
    tril = torch.tril(torch.ones(seq_len, seq_len, device=ids.device)).bool()
    eye = torch.eye(seq_len, device=ids.device).bool()
    keep = ids.ne(pad_id).unsqueeze(1)  # (B, 1, T)
    mask = (keep & tril) | eye  # no row may be empty, otherwise the softmax gives nan
    return mask

# %% wrong (second): the mask is of whole numbers 0 and 1 and not boolean / a query of padding sees nothing at all
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    real = (ids != pad_id).long()
    pairs = torch.einsum("bi,bj->bij", real, real)
    triangle = torch.tril(torch.ones(ids.size(1), ids.size(1), dtype=torch.long, device=ids.device))
    return pairs * triangle

# %% right (second): places compared by broadcasting, then padding columns set to False
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    batch, length = ids.shape
    place = torch.arange(length, device=ids.device)
    not_later = (place.view(1, 1, -1) <= place.view(1, -1, 1)).repeat(batch, 1, 1)
    is_padding = torch.eq(ids, pad_id)
    return not_later.masked_fill(is_padding[:, None, :], False)

# %% wrong (third): hides everything from a query that is padding
# true: padded_queries_hidden_too
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    real = ids != pad_id  # (B, T)
    both_real = real[:, :, None] & real[:, None, :]  # (B, T, T)
    return both_real & causal_mask(ids.size(1))


# %% wrong (third): counts the real tokens and takes it that they stand in front
# true: as_long_as_the_real_ones
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    B, T = ids.shape
    lengths = (ids != pad_id).sum(dim=1)  # (B,)
    keys = torch.arange(T)
    key_ok = keys[None, :] < lengths[:, None]  # (B, T)
    return key_ok[:, None, :] & causal_mask(T)[None, :, :]


# %% wrong (third): every query sees itself, padding too, so that no row is empty
# true: own_token_always_seen
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    seq_len = ids.shape[1]
    mask = padding_mask(ids, pad_id) & causal_mask(seq_len).unsqueeze(0)
    # avoid rows with nothing to attend to (nan)
    eye = torch.eye(seq_len, dtype=torch.bool)
    return mask | eye


# %% right (third): the row of real keys written out for each query, and the triangle cut out of it
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    T = ids.size(-1)
    keys = ids.ne(pad_id).unsqueeze(1).repeat(1, T, 1)  # (B, T, T)
    return keys.tril()

# %% wrong (last): counts the real tokens and takes them to stand in front ("padding may stand anywhere: behind a sentence, in front of it, in the middle")
# true: as_long_as_the_real_ones
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    length = ids.size(1)
    lengths = (ids != pad_id).sum(dim=1)  # (B,)
    real = torch.arange(length, device=ids.device)[None, :] < lengths[:, None]  # (B, T)
    return causal_mask(length).to(ids.device) & real[:, None, :]


# %% wrong (last): opens the diagonal so that no row is empty and no softmax gives nan ("A query with nothing but padding up to its place sees nothing"; keys must be real)
# true: own_token_always_seen
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    length = ids.size(1)
    mask = padding_mask(ids, pad_id) & causal_mask(length)  # (B, T, T)
    return mask | torch.eye(length, dtype=torch.bool)


# %% right (last): every query gets the row of real keys, and tril cuts the future off
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    return ids.ne(pad_id).unsqueeze(-2).expand(-1, ids.size(-1), -1).tril()


# %% wrong (fifth): padding is hidden as a query too, its rows are empty
# true: padded_queries_hidden_too
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    real = ids != pad_id  # (B, T)
    both = real.unsqueeze(1) & real.unsqueeze(2)  # (B, T, T)
    return both & causal_mask(ids.size(1))


# %% wrong (fifth): a query that would see nothing is allowed to see itself
# true: itself_if_nothing_else
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    mask = padding_mask(ids, pad_id) & causal_mask(ids.size(1))  # (B, T, T)
    empty = ~mask.any(dim=-1, keepdim=True)  # (B, T, 1)
    return mask | (empty & torch.eye(ids.size(1), dtype=torch.bool))


# %% wrong (fifth): counts the real tokens and assumes that padding comes after them
# true: as_long_as_the_real_ones
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    lengths = (ids != pad_id).sum(dim=1)  # (B,)
    keys = torch.arange(ids.size(1))  # (T,)
    real = keys < lengths[:, None]  # (B, T)
    return real[:, None, :] & causal_mask(ids.size(1))


# %% right (fifth): the row of real keys repeated for all queries, and then tril
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    batch, length = ids.shape
    keys = ids.ne(pad_id)[:, None].repeat(1, length, 1)  # (B, T, T)
    return torch.tril(keys)
