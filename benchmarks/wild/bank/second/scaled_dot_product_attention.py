# %% wrong: the scale is the root of the second axis' length, which is the width only without leading dimensions
# true: width_counted_from_the_front
def scaled_dot_product_attention(query, key, value, mask=None):
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    weights = F.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    return torch.matmul(weights, value), weights


# %% wrong: a query whose keys are all blocked gets equal weights instead of zeros / everything comes back as float32, whatever type went in
def scaled_dot_product_attention(query, key, value, mask=None):
    query, key, value = query.float(), key.float(), value.float()
    d_k = query.shape[-1]
    scores = (query @ key.transpose(-1, -2)) * d_k**-0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    p_attn = scores.softmax(dim=-1)
    return p_attn @ value, p_attn


# %% wrong: the query that was passed in is divided in place, and so changed / that division is hidden from autograd, so the gradient of the query lacks the scale
# true: query_overwritten
def scaled_dot_product_attention(query, key, value, mask=None):
    with torch.no_grad():
        query /= math.sqrt(query.size(-1))
    scores = torch.einsum("...td,...sd->...ts", query, key)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return torch.einsum("...ts,...sd->...td", weights, value), weights


# %% right: exp, mask and division by hand; rows without a key are divided by 1
def scaled_dot_product_attention(query, key, value, mask=None):
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
    return torch.einsum("...ts,...sd->...td", weights, value), weights
