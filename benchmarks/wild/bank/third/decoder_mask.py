# %% wrong: hides everything from a query that is padding
# true: padded_queries_hidden_too
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    real = ids != pad_id  # (B, T)
    both_real = real[:, :, None] & real[:, None, :]  # (B, T, T)
    return both_real & causal_mask(ids.size(1))


# %% wrong: counts the real tokens and takes it that they stand in front
# true: as_long_as_the_real_ones
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    B, T = ids.shape
    lengths = (ids != pad_id).sum(dim=1)  # (B,)
    keys = torch.arange(T)
    key_ok = keys[None, :] < lengths[:, None]  # (B, T)
    return key_ok[:, None, :] & causal_mask(T)[None, :, :]


# %% wrong: every query sees itself, padding too, so that no row is empty
# true: own_token_always_seen
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    seq_len = ids.shape[1]
    mask = padding_mask(ids, pad_id) & causal_mask(seq_len).unsqueeze(0)
    # avoid rows with nothing to attend to (nan)
    eye = torch.eye(seq_len, dtype=torch.bool)
    return mask | eye


# %% right: the row of real keys written out for each query, and the triangle cut out of it
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    T = ids.size(-1)
    keys = ids.ne(pad_id).unsqueeze(1).repeat(1, T, 1)  # (B, T, T)
    return keys.tril()
