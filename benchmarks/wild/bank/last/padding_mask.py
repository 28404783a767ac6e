# %% wrong: a sentence's real tokens are counted, and as many places from the left are taken for real
# true: real_tokens_counted
# Violates "pad_id may stand anywhere in a sentence".
def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    lengths = (ids != pad_id).sum(dim=1, keepdim=True)  # (B, 1)
    positions = torch.arange(ids.size(1), device=ids.device).unsqueeze(0)  # (1, S)
    return (positions < lengths).unsqueeze(1)


# %% wrong: True where there is padding, like PyTorch's key_padding_mask / an axis for the heads as well, (B, 1, 1, S)
# true: inverted, axis_of_heads_already
# Violates "True = may attend" and "of shape (B, 1, S)".
def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    return (ids == pad_id).unsqueeze(1).unsqueeze(2)


# %% right: a difference turned into a boolean
def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    return ids.sub(pad_id).to(torch.bool).unsqueeze(-2)
