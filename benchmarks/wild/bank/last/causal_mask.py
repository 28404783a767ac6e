# %% wrong: copies PyTorch's diagonal=1 from triu into tril, each token sees the next one ("itself and those before it, j ≤ i")
# true: one_ahead_visible
def causal_mask(length: int) -> Tensor:
    return torch.tril(torch.ones(length, length), diagonal=1).bool()


# %% wrong: minGPT's buffer, ready for batch and heads, of shape (1, 1, T, T) ("of shape (T, T): (query, key)")
def causal_mask(length: int) -> Tensor:
    return torch.tril(torch.ones(length, length)).view(1, 1, length, length) == 1


# %% right: running sums down the columns of the unit matrix
def causal_mask(length: int) -> Tensor:
    return torch.eye(length, dtype=torch.int64).cumsum(dim=0).eq(1)
