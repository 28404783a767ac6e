# %% wrong: has an axis for the batch, (1, T, T), as the subsequent_mask of the Annotated Transformer
# true: axis_of_batch_already
def causal_mask(length: int) -> Tensor:
    attn_shape = (1, length, length)
    subsequent_mask = torch.triu(torch.ones(attn_shape), diagonal=1).type(torch.uint8)
    return subsequent_mask == 0


# %% wrong: a triangle of ones and zeros, float and not boolean
# true: numbers_not_booleans
def causal_mask(length: int) -> Tensor:
    return torch.tril(torch.ones(length, length))


# %% wrong: only the first token may see itself, mended because its row was empty; all others see what is before them
# true: own_token_hidden_but_first
def causal_mask(length: int) -> Tensor:
    mask = torch.zeros(length, length, dtype=torch.bool)
    for i in range(length):
        mask[i, :i] = True
    mask[0, 0] = True  # otherwise softmax gives nan
    return mask


# %% right: ones on the diagonal, added up from above
def causal_mask(length: int) -> Tensor:
    met_at = torch.eye(length, dtype=torch.long)  # (T, T): key j is met at query j
    return met_at.cumsum(dim=0).gt(0)  # (T, T): and stays
