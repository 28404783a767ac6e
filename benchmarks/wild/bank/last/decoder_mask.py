# %% wrong: counts the real tokens and takes them to stand in front ("padding may stand anywhere: behind a sentence, in front of it, in the middle")
# true: as_long_as_the_real_ones
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    length = ids.size(1)
    lengths = (ids != pad_id).sum(dim=1)  # (B,)
    real = torch.arange(length, device=ids.device)[None, :] < lengths[:, None]  # (B, T)
    return causal_mask(length).to(ids.device) & real[:, None, :]


# %% wrong: opens the diagonal so that no row is empty and no softmax gives nan ("A query with nothing but padding up to its place sees nothing"; keys must be real)
# true: own_token_always_seen
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    length = ids.size(1)
    mask = padding_mask(ids, pad_id) & causal_mask(length)  # (B, T, T)
    return mask | torch.eye(length, dtype=torch.bool)


# %% right: every query gets the row of real keys, and tril cuts the future off
def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    return ids.ne(pad_id).unsqueeze(-2).expand(-1, ids.size(-1), -1).tril()
