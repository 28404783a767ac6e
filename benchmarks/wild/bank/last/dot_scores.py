# %% wrong: divided by the root of the width
# true: scaled
# Violates "neither scaled nor normalised".
def dot_scores(query: Tensor, keys: Tensor) -> Tensor:
    return (keys @ query.unsqueeze(-1)).squeeze(-1) / query.size(-1) ** 0.5


# %% wrong: the keys are brought to (B, D, S) by view instead of transpose
# true: keys_reshaped
# Violates "One score for each key: its dot product with the query": numbers of several keys are mixed.
def dot_scores(query: Tensor, keys: Tensor) -> Tensor:
    B, S, D = keys.size()
    scores = torch.bmm(query.unsqueeze(1), keys.contiguous().view(B, D, S))  # (B, 1, S)
    return scores.squeeze(1)


# %% right: vmap over the sentences of a matrix-vector product
def dot_scores(query: Tensor, keys: Tensor) -> Tensor:
    return torch.vmap(torch.mv)(keys, query)
