# %% wrong: -10000 is added to what is masked, as in BERT; a query without keys attends as if there were no mask
# Violates "A query whose keys are all masked gets weights and output of zeros".
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    attention_scores = torch.matmul(query, key.transpose(-1, -2))
    attention_scores = attention_scores / math.sqrt(query.size(-1))
    if mask is not None:
        extended_attention_mask = (1.0 - mask.to(query.dtype)) * -10000.0
        attention_scores = attention_scores + extended_attention_mask
    attention_probs = nn.Softmax(dim=-1)(attention_scores)
    return torch.matmul(attention_probs, value), attention_probs


# %% wrong: True is taken for blocked / divided by the root of the values' width
# Violates "True = may attend" and "/ sqrt(Dk)".
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    scores = query @ key.mT / value.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask, 0.0)
    return weights @ value, weights


# %% right: einsum; a query without keys is opened for the softmax and closed again after it
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    if mask is None:
        mask = query.new_ones((), dtype=torch.bool).expand(query.size(-2), key.size(-2))
    hopeless = mask.any(dim=-1, keepdim=True).logical_not()
    scores = torch.einsum("...td,...sd->...ts", query * key.size(-1) ** -0.5, key)
    weights = torch.where(mask | hopeless, scores, -math.inf).softmax(-1)
    weights = torch.where(mask, weights, 0.0)
    return torch.einsum("...ts,...sv->...tv", weights, value), weights
