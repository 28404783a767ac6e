# %% wrong (first): masked scores are filled with 1e-9 (a tiny positive number) in place of -1e9, so blocked keys keep weight
# true: masked_with_zero
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, 1e-9)
    p_attn = scores.softmax(dim=-1)
    if mask is not None:
        p_attn = p_attn * mask.any(dim=-1, keepdim=True)
    return torch.matmul(F.dropout(p_attn, dropout), value), p_attn

# %% wrong (first): with -1e9 a query whose keys are all masked gets the plain average and not zeros
# true: fully_masked_uniform
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(F.dropout(weights, dropout), value), weights

# %% wrong (first): -inf is added to the scores and the nan replaced afterwards, so the gradients of a fully masked query are nan
# true: nan_gradient_of_an_empty_row
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    if mask is not None:
        bias = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device)
        bias = bias.masked_fill(~mask, float("-inf"))
        scores = scores + bias
    weights = torch.nan_to_num(F.softmax(scores, dim=-1))
    return F.dropout(weights, dropout) @ value, weights

# %% wrong (first): the mask comes after the softmax with a renormalisation, so a blocked key with a huge score eats all the weight
# true: renormalised_with_a_floor
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    scores = torch.einsum("...td,...sd->...ts", query, key) / math.sqrt(key.size(-1))
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights * mask.to(weights.dtype)
        weights = weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-9)
    return torch.einsum("...ts,...sv->...tv", F.dropout(weights, dropout), value), weights

# %% wrong (first): True is read as blocked
# true: mask_inverted
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    scores = (query @ key.mT) * query.size(-1) ** -0.5
    if mask is not None:
        scores = scores.masked_fill(mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    if mask is not None:
        nobody = mask.all(dim=-1, keepdim=True)
        weights = weights.masked_fill(nobody, 0.0)
    return F.dropout(weights, dropout) @ value, weights

# %% wrong (first): scores are taken out of the graph by .data, so no gradient reaches query and key
# true: weights_detached
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    scores = torch.matmul(query, key.transpose(-1, -2)).data
    scores /= math.sqrt(query.size(-1))
    if mask is not None:
        scores.masked_fill_(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    weights = torch.where(torch.isnan(weights), torch.zeros_like(weights), weights)
    return F.dropout(weights, dropout) @ value, weights

# %% wrong (first): everything is cast to float32 and stays float32, whatever came in
# true: single_precision
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    q, k, v = query.float(), key.float(), value.float()
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return F.dropout(weights, dropout) @ v, weights

# %% wrong (first): dropout falls on the weights at every call
# true: weights_dropped
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = F.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    weights = F.dropout(weights, p=0.1)
    return torch.matmul(F.dropout(weights, dropout), value), weights

# %% wrong (first): a fully masked query gets an output of zeros, but its weights are returned as an even share
# true: fully_masked_weights_uniform
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    scores = query @ key.transpose(-2, -1)
    scores = scores / math.sqrt(query.size(-1))
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
        return F.dropout(weights, dropout) @ value, weights
    scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    output = F.dropout(weights, dropout) @ value
    output = output * mask.any(dim=-1, keepdim=True).to(output.dtype)
    return output, weights

# %% wrong (first): blocked keys get a score of -10, which leaves them a little weight / a fully masked query is not treated
# true: masked_with_minus_ten
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = torch.where(mask, scores, torch.tensor(-10.0, dtype=scores.dtype))
    weights = torch.softmax(scores, dim=-1)
    return F.dropout(weights, dropout) @ value, weights

# %% wrong (first): only a mask that blocks everything is treated, a single query without keys still gives nan
# true: fully_masked_nan
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        if not mask.any():
            weights = torch.zeros_like(scores)
            return F.dropout(weights, dropout) @ value, weights
        scores = scores.masked_fill(mask.logical_not(), -math.inf)
    weights = scores.softmax(dim=-1)
    return F.dropout(weights, dropout) @ value, weights

# %% wrong (first): bmm takes three dimensions and no more or fewer
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    attn = torch.bmm(query, key.transpose(1, 2)) / np.sqrt(query.size(2))
    if mask is not None:
        attn = attn.masked_fill(~mask, -np.inf)
    attn = F.softmax(attn, dim=2)
    attn = attn.masked_fill(torch.isnan(attn), 0.0)
    output = torch.bmm(F.dropout(attn, dropout), value)
    return output, attn

# %% wrong (first): exponentials are taken without a shift, so large scores give nan
# true: infinity_times_mask
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    e = torch.exp(scores)
    if mask is not None:
        e = e * mask
    total = e.sum(dim=-1, keepdim=True)
    weights = e / total.masked_fill(total == 0, 1.0)
    return F.dropout(weights, dropout) @ value, weights

# %% wrong (first): softmax along dim 1, which with a batch is the queries or the heads
# true: softmax_over_axis_1
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    scores = torch.matmul(query, key.transpose(-2, -1)) / torch.sqrt(torch.tensor(query.size(-1), dtype=query.dtype))
    if mask is not None:
        scores = scores.masked_fill(mask == False, -1e9)
    weights = nn.Softmax(dim=1)(scores)
    if mask is not None:
        weights = weights * mask
    return F.dropout(weights, dropout) @ value, weights

# %% wrong (first): the query is scaled in place, so the caller's tensor changes
# true: query_overwritten
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    with torch.no_grad():
        query.div_(math.sqrt(query.size(-1)))
    scores = query @ key.transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0)
    return F.dropout(weights, dropout) @ value, weights

# %% right (first): einsum, finfo.min, masked weights set to zero afterwards
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    scores = torch.einsum("...qd,...kd->...qk", query, key) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return torch.einsum("...qk,...kv->...qv", F.dropout(weights, dropout), value), weights

# %% right (first): -inf only for queries that have a key, the others switched off at the end
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    scores = (query * query.size(-1) ** -0.5) @ key.transpose(-2, -1)
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
    else:
        full = mask.expand(scores.shape)
        alive = full.any(dim=-1, keepdim=True)
        scores = scores.masked_fill(alive & ~full, -torch.inf)
        weights = torch.softmax(scores, dim=-1) * alive.to(scores.dtype)
    return F.dropout(weights, dropout) @ value, weights

# %% right (first): softmax by hand, shifted by the largest allowed score
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(key.size(-1))
    allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.expand_as(scores)
    lowest = torch.finfo(scores.dtype).min
    top = torch.where(allowed, scores, lowest).amax(dim=-1, keepdim=True).detach()
    shifted = torch.where(allowed, scores - top, 0.0)
    exps = torch.where(allowed, shifted.exp(), 0.0)
    total = exps.sum(dim=-1, keepdim=True)
    weights = exps / torch.where(total == 0, torch.ones_like(total), total)
    return torch.matmul(F.dropout(weights, dropout), value), weights

# %% right (first): masked_fill with -inf and nan replaced by torch.where
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    attn = query.matmul(key.transpose(-1, -2)).div(math.sqrt(query.shape[-1]))
    if mask is not None:
        attn = attn.masked_fill(mask.logical_not(), float("-inf"))
        empty = (attn == float("-inf")).all(dim=-1, keepdim=True)
        attn = attn.masked_fill(empty, 0.0)
        attn = F.softmax(attn, dim=-1).masked_fill(empty, 0.0)
    else:
        attn = F.softmax(attn, dim=-1)
    return F.dropout(attn, dropout).matmul(value), attn

# %% wrong (second): the scale is the root of the second axis' length, which is the width only without leading dimensions
# true: width_counted_from_the_front
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    weights = F.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    return torch.matmul(F.dropout(weights, dropout), value), weights


# %% wrong (second): a query whose keys are all blocked gets equal weights instead of zeros / everything comes back as float32, whatever type went in
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    query, key, value = query.float(), key.float(), value.float()
    d_k = query.shape[-1]
    scores = (query @ key.transpose(-1, -2)) * d_k**-0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    p_attn = scores.softmax(dim=-1)
    return F.dropout(p_attn, dropout) @ value, p_attn


# %% wrong (second): the query that was passed in is divided in place, and so changed / that division is hidden from autograd, so the gradient of the query lacks the scale
# true: query_overwritten
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    with torch.no_grad():
        query /= math.sqrt(query.size(-1))
    scores = torch.einsum("...td,...sd->...ts", query, key)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return torch.einsum("...ts,...sd->...td", F.dropout(weights, dropout), value), weights


# %% right (second): exp, mask and division by hand; rows without a key are divided by 1
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    scores = torch.einsum("...td,...sd->...ts", query, key) / query.shape[-1] ** 0.5
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    mask = mask.expand_as(scores)
    lowest = torch.finfo(scores.dtype).min
    top = scores.masked_fill(~mask, lowest).amax(dim=-1, keepdim=True).detach()
    shifted = torch.where(mask, scores - top, torch.zeros_like(scores))
    exps = shifted.exp() * mask.to(scores.dtype)
    total = exps.sum(dim=-1, keepdim=True)
    weights = exps / torch.where(total > 0, total, torch.ones_like(total))
    return torch.einsum("...ts,...sd->...td", F.dropout(weights, dropout), value), weights

# %% wrong (third): scales the caller's queries in place
# true: query_overwritten
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    query /= math.sqrt(query.size(-1))
    scores = query @ key.transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return F.dropout(weights, dropout) @ value, weights


# %% wrong (third): thinks of a mask that blocks everything for everybody, but not of a single blocked query, which gets nan
# true: fully_masked_nan
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    d_k = query.shape[-1]
    scores = torch.matmul(query, key.transpose(-1, -2)) / d_k**0.5
    if mask is not None:
        if not mask.any():  # nothing to look at
            weights = torch.zeros_like(scores)
            return torch.matmul(F.dropout(weights, dropout), value), weights
        scores = scores.masked_fill(mask.logical_not(), -torch.inf)
    weights = F.softmax(scores, dim=-1)
    return torch.matmul(F.dropout(weights, dropout), value), weights


# %% wrong (third): masks by boolean indexing, which asks for a mask as large as the scores
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    scores = torch.einsum("...td,...sd->...ts", query, key) / math.sqrt(key.size(-1))
    if mask is not None:
        scores[~mask] = float("-inf")
    weights = torch.nan_to_num(torch.softmax(scores, dim=-1), nan=0.0)
    return torch.einsum("...ts,...sv->...tv", F.dropout(weights, dropout), value), weights


# %% right (third): the softmax written out, with a sum of 1 put in where no key is left
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    scores = (query @ key.mT) * query.size(-1) ** -0.5  # (..., T, S)
    if mask is None:
        mask = torch.ones((), dtype=torch.bool, device=scores.device)
    scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)  # (..., T, S)
    above = scores.detach().amax(dim=-1, keepdim=True)  # (..., T, 1)
    exponentials = torch.exp(scores - above) * mask  # (..., T, S)
    total = exponentials.sum(dim=-1, keepdim=True)  # (..., T, 1): 0 where every key is masked
    weights = exponentials / total.masked_fill(total == 0, 1)
    return F.dropout(weights, dropout) @ value, weights

# %% wrong (last): -10000 is added to what is masked, as in BERT; a query without keys attends as if there were no mask
# Violates "A query whose keys are all masked gets weights and output of zeros".
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    attention_scores = torch.matmul(query, key.transpose(-1, -2))
    attention_scores = attention_scores / math.sqrt(query.size(-1))
    if mask is not None:
        extended_attention_mask = (1.0 - mask.to(query.dtype)) * -10000.0
        attention_scores = attention_scores + extended_attention_mask
    attention_probs = nn.Softmax(dim=-1)(attention_scores)
    return torch.matmul(F.dropout(attention_probs, dropout), value), attention_probs


# %% wrong (last): True is taken for blocked / divided by the root of the values' width
# Violates "True = may attend" and "/ sqrt(Dk)".
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    scores = query @ key.mT / value.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask, 0.0)
    return F.dropout(weights, dropout) @ value, weights


# %% right (last): einsum; a query without keys is opened for the softmax and closed again after it
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    if mask is None:
        mask = query.new_ones((), dtype=torch.bool).expand(query.size(-2), key.size(-2))
    hopeless = mask.any(dim=-1, keepdim=True).logical_not()
    scores = torch.einsum("...td,...sd->...ts", query * key.size(-1) ** -0.5, key)
    weights = torch.where(mask | hopeless, scores, -math.inf).softmax(-1)
    weights = torch.where(mask, weights, 0.0)
    return torch.einsum("...ts,...sv->...tv", F.dropout(weights, dropout), value), weights


# %% wrong (fifth): returns the weights as they are after dropout
# true: weights_after_dropout
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    weights = F.dropout(weights, dropout)
    return weights @ value, weights


# %% wrong (fifth): masked scores become -1e9, which stops with an error in float16
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    p_attn = scores.softmax(dim=-1)
    if mask is not None:
        p_attn = p_attn.masked_fill(mask == 0, 0)
    dropped = F.dropout(p_attn, dropout) if dropout > 0 else p_attn
    return torch.matmul(dropped, value), p_attn


# %% wrong (fifth): a mask with one axis less than the scores gets one in place 1: (T, S) becomes (T, 1, S)
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    scores = query @ key.transpose(-2, -1) / query.size(-1) ** 0.5
    if mask is not None:
        if mask.dim() == scores.dim() - 1:
            mask = mask.unsqueeze(1)  # an axis for the heads
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights * mask
    return F.dropout(weights, dropout) @ value, weights


# %% right (fifth): einsum; a query without keys sees all of them for the softmax, then gets zeros
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    scores = torch.einsum("...td,...sd->...ts", query, key) * query.shape[-1] ** -0.5
    if mask is None:
        weights = torch.softmax(scores, -1)
    else:
        lonely = torch.logical_not(mask.any(-1, keepdim=True))
        visible = torch.logical_or(mask, lonely)
        weights = torch.softmax(torch.where(visible, scores, -torch.inf), -1)
        weights = torch.where(lonely, torch.zeros_like(weights), weights)
    mixed = weights
    if dropout:
        mixed = F.dropout(weights, p=dropout, training=True)
    return torch.einsum("...ts,...sv->...tv", mixed, value), weights
