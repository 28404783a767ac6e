# %% wrong: scales the caller's queries in place
# true: query_overwritten
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    query /= math.sqrt(query.size(-1))
    scores = query @ key.transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return weights @ value, weights


# %% wrong: thinks of a mask that blocks everything for everybody, but not of a single blocked query, which gets nan
# true: fully_masked_nan
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    d_k = query.shape[-1]
    scores = torch.matmul(query, key.transpose(-1, -2)) / d_k**0.5
    if mask is not None:
        if not mask.any():  # nothing to look at
            weights = torch.zeros_like(scores)
            return torch.matmul(weights, value), weights
        scores = scores.masked_fill(mask.logical_not(), -torch.inf)
    weights = F.softmax(scores, dim=-1)
    return torch.matmul(weights, value), weights


# %% wrong: masks by boolean indexing, which asks for a mask as large as the scores
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    scores = torch.einsum("...td,...sd->...ts", query, key) / math.sqrt(key.size(-1))
    if mask is not None:
        scores[~mask] = float("-inf")
    weights = torch.nan_to_num(torch.softmax(scores, dim=-1), nan=0.0)
    return torch.einsum("...ts,...sv->...tv", weights, value), weights


# %% right: the softmax written out, with a sum of 1 put in where no key is left
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    scores = (query @ key.mT) * query.size(-1) ** -0.5  # (..., T, S)
    if mask is None:
        mask = torch.ones((), dtype=torch.bool, device=scores.device)
    scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)  # (..., T, S)
    above = scores.detach().amax(dim=-1, keepdim=True)  # (..., T, 1)
    exponentials = torch.exp(scores - above) * mask  # (..., T, S)
    total = exponentials.sum(dim=-1, keepdim=True)  # (..., T, 1): 0 where every key is masked
    weights = exponentials / total.masked_fill(total == 0, 1)
    return weights @ value, weights
