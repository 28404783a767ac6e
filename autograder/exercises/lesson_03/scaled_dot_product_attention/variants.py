# %% right: by einsum
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    scores = torch.einsum("...td,...sd->...ts", query, key) * query.shape[-1] ** -0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.nan_to_num(scores.softmax(-1))
    return torch.einsum("...ts,...sv->...tv", F.dropout(weights, dropout), value), weights


# %% right: by hand with exponentials
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    scores = torch.matmul(query, torch.swapaxes(key, -1, -2)) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = torch.where(mask, scores, torch.full_like(scores, -1e9))
    powers = torch.exp(scores - torch.amax(scores, dim=-1, keepdim=True))
    weights = powers / powers.sum(dim=-1, keepdim=True)
    if mask is not None:
        weights = weights * mask
    kept = torch.bernoulli(torch.full_like(weights, 1 - dropout))
    return torch.matmul(weights * kept / (1 - dropout), value), weights


# %% right: query scaled first
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    scaled = query / math.sqrt(key.shape[-1])
    scores = scaled @ key.mT
    if mask is None:
        weights = F.softmax(scores, dim=-1)
    else:
        weights = F.softmax(scores.masked_fill(mask.logical_not(), -1e9), dim=-1)
        weights = torch.where(mask.any(dim=-1, keepdim=True), weights, torch.zeros_like(weights))
    output = F.dropout(weights, dropout) @ value
    return output, weights


# %% right: additive mask
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    bias = torch.zeros(query.size(-2), key.size(-2), dtype=query.dtype)
    if mask is not None:
        bias = torch.zeros(mask.shape, dtype=query.dtype).masked_fill(~mask, torch.finfo(query.dtype).min / 2)
    weights = (query @ key.transpose(-1, -2) / math.sqrt(key.size(-1)) + bias).softmax(dim=-1)
    if mask is not None:
        weights = weights * mask
    return nn.Dropout(dropout)(weights) @ value, weights


# %% right: one query at a time
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    num_queries, num_keys = query.shape[-2], key.shape[-2]
    if mask is not None:
        mask = mask.expand(*query.shape[:-2], num_queries, num_keys)
    outputs, rows = [], []
    for i in range(num_queries):
        scores = (query[..., i : i + 1, :] * key).sum(-1) / math.sqrt(query.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask[..., i, :], -1e30)
        row = torch.softmax(scores, -1)
        if mask is not None:
            row = row * mask[..., i, :].any(-1, keepdim=True)
        rows.append(row)
        kept = (torch.rand_like(row) >= dropout) / (1 - dropout)
        outputs.append(((row * kept).unsqueeze(-1) * value).sum(-2))
    return torch.stack(outputs, dim=-2), torch.stack(rows, dim=-2)


# %% right: flattened bmm
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    lead = query.shape[:-2]
    T, S = query.shape[-2], key.shape[-2]
    q = query.reshape(-1, T, query.shape[-1])
    k = key.reshape(-1, S, key.shape[-1])
    v = value.reshape(-1, S, value.shape[-1])
    allowed = torch.ones(T, S, dtype=torch.bool) if mask is None else mask
    allowed = torch.broadcast_to(allowed, (*lead, T, S)).reshape(-1, T, S)
    bias = (~allowed).to(q.dtype) * -1e9
    scores = torch.baddbmm(bias, q, k.transpose(1, 2), alpha=1 / math.sqrt(q.shape[-1]))
    weights = torch.softmax(scores, dim=2) * allowed
    return torch.bmm(F.dropout(weights, dropout), v).reshape(*lead, T, v.shape[-1]), weights.reshape(*lead, T, S)


# %% right: through log sum exp
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    scores = query.matmul(key.transpose(-2, -1)).div(math.sqrt(query.size(-1)))
    if mask is not None:
        scores[~mask.expand_as(scores)] = -1e9
    weights = (scores - scores.logsumexp(dim=-1, keepdim=True)).exp()
    kept = weights
    if dropout > 0:
        kept = weights.masked_fill(torch.rand(weights.shape) < dropout, 0) / (1 - dropout)
    output = kept.matmul(value)
    if mask is not None:
        nothing_to_see = (~mask).all(dim=-1, keepdim=True)
        weights = weights.masked_fill(nothing_to_see, 0)
        output = output.masked_fill(nothing_to_see, 0)
    return output, weights


# %% right: root on both sides
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    fourth_root = query.size(-1) ** 0.25
    scores = (query / fourth_root) @ (key / fourth_root).transpose(-2, -1)
    if mask is None:
        mask = torch.ones(1, 1, dtype=torch.bool)
    scores = torch.where(mask, scores, torch.tensor(-1e9, dtype=scores.dtype))
    weights = torch.where(mask, torch.nn.Softmax(dim=-1)(scores), torch.tensor(0.0, dtype=scores.dtype))
    return F.dropout(weights, dropout) @ value, weights


# %% wrong: torchs own
# defines: finished_function
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    seen = torch.ones(query.size(-2), key.size(-2), dtype=torch.bool) if mask is None else mask
    output = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=dropout)
    weights = torch.softmax((query @ key.mT / query.size(-1) ** 0.5).masked_fill(~seen, -1e30), dim=-1) * seen
    return output.nan_to_num(), weights


# %% wrong: identity for values
# true: finished_function
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    """The finished function returns no weights; of values that are an identity, the output is the weights."""
    finished = vars(F)["scaled_dot_product_" + "attention"]
    identity = torch.eye(key.shape[-2], dtype=value.dtype).expand(*value.shape[:-2], -1, -1)
    weights = finished(query, key, identity, None if mask is None else mask.expand(*query.shape[:-1], key.shape[-2]))
    weights = torch.nan_to_num(weights)
    return F.dropout(weights, dropout) @ value, weights


# %% wrong: einsum without scale
# true: unscaled
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    scores = torch.einsum("...td,...sd->...ts", query, key)
    if mask is not None:
        scores = torch.where(mask, scores, torch.tensor(-1e9, dtype=scores.dtype))
    weights = F.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask
    return torch.einsum("...ts,...sd->...td", F.dropout(weights, dropout), value), weights


# %% wrong: scaled on both sides
# true: divided_by_d_k
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    root = query.shape[-1] ** 0.5
    scores = torch.matmul(query / root, (key / root).mT)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = scores.softmax(-1).nan_to_num(0.0)
    return torch.matmul(F.dropout(weights, dropout), value), weights


# %% wrong: transposed softmax
# true: softmax_over_queries
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    scores = key @ query.mT / math.sqrt(key.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask.expand(scores.mT.shape).mT, -1e9)
    weights = scores.softmax(-1).mT
    if mask is not None:
        weights = weights * mask
    return F.dropout(weights, dropout) @ value, weights


# %% wrong: weights times mask
# true: masked_after_softmax
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    weights = F.softmax(query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5, dim=-1)
    weights = weights if mask is None else weights * mask.to(weights.dtype)
    return F.dropout(weights, dropout) @ value, weights


# %% wrong: minus a thousand
# true: masked_with_a_small_constant
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
    if mask is not None:
        scores[~mask.expand_as(scores)] = -1000.0
    weights = F.softmax(scores, dim=-1)
    return F.dropout(weights, dropout) @ value, weights


# %% wrong: result of masked fill lost
# true: mask_ignored
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores.masked_fill(~mask, -1e9)
    weights = F.softmax(scores, -1)
    return F.dropout(weights, dropout) @ value, weights


# %% wrong: exponentials times mask
# true: renormalised_after_softmax
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    powers = torch.exp(scores - scores.amax(-1, keepdim=True))
    if mask is not None:
        powers = powers * mask
    weights = powers / powers.sum(-1, keepdim=True)
    return F.dropout(weights, dropout) @ value, weights


# %% wrong: through numpy
# true: everything_detached
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    q, k, v = (tensor.detach().numpy() for tensor in (query, key, value))
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = np.where(mask.numpy(), scores, -1e9)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = powers / powers.sum(axis=-1, keepdims=True)
    if mask is not None:
        weights = weights * mask.numpy()
    return torch.from_numpy((F.dropout(torch.from_numpy(weights), dropout).numpy() @ v).astype(q.dtype)), torch.from_numpy(weights.astype(q.dtype))


# %% wrong: reversed by capital t
# true: key_reversed
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    scores = torch.matmul(query, key.T) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), -1e9)
    weights = F.softmax(scores, dim=-1)
    if mask is not None:
        weights = torch.where(mask, weights, 0.0)
    return torch.matmul(F.dropout(weights, dropout), value), weights


# %% wrong: keys are mixed
# true: weights_times_keys
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    scores = torch.einsum("...id,...jd->...ij", query, key) / query.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights * mask
    return torch.einsum("...ij,...jd->...id", F.dropout(weights, dropout), key), weights


# %% wrong: as first written
# true: unscaled, fully_masked_uniform
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    scores = torch.matmul(query, key.transpose(-1, -2))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    p = F.softmax(scores, dim=-1)
    return torch.matmul(F.dropout(p, dropout), value), p


# %% wrong: wrong axis and infinity
# true: softmax_over_queries, fully_masked_nan
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(key.shape[-1])
    if mask is not None:
        scores = torch.where(mask, scores, -torch.inf)
    p = torch.nn.Softmax(dim=-2)(scores)
    return torch.matmul(F.dropout(p, dropout), value), p


# %% wrong: weights switched off too late
# true: fully_masked_output_uniform
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    scores = query @ key.mT * query.size(-1) ** -0.5
    if mask is not None:
        scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1)
    output = F.dropout(weights, dropout) @ value
    if mask is not None:
        weights = weights * mask.any(-1, keepdim=True)
    return output, weights


# %% wrong: powers with a guard
# true: exponentials_overflow
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    powers = torch.exp(query @ key.mT / math.sqrt(query.size(-1)))
    if mask is not None:
        powers = torch.where(mask, powers, 0.0)
    total = powers.sum(-1, keepdim=True)
    weights = powers / torch.where(total > 0, total, 1.0)
    return F.dropout(weights, dropout) @ value, weights


# %% wrong: mask as a number
# true: mask_added
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    scores = torch.matmul(query, key.mT) * query.shape[-1] ** -0.5
    if mask is not None:
        scores += mask.to(scores.dtype)
    return F.dropout(scores.softmax(-1), dropout) @ value, scores.softmax(-1)


# %% wrong: only the output is repaired
# defines: output_repaired_alone
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    scores = torch.matmul(query, key.mT) * query.shape[-1] ** -0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(-1)
    output = F.dropout(weights, dropout) @ value
    return torch.where(output.isnan(), 0.0, output), weights


# %% wrong: random weights set to zero
# true: dropout_not_rescaled
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    scores = query @ key.mT / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask
    return torch.where(torch.rand_like(weights) < dropout, 0.0, weights) @ value, weights


# %% wrong: random scores set to zero
# true: dropout_on_the_scores
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    scores = nn.Dropout(dropout)(torch.matmul(query, key.mT) * query.shape[-1] ** -0.5)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    weights = F.softmax(scores, -1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0)
    return torch.matmul(weights, value), weights


# %% wrong: random numbers of the result set to zero
# true: dropout_on_the_output
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    scores = query @ key.transpose(-1, -2) / query.size(-1) ** 0.5
    if mask is not None:
        scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = torch.where(mask, weights, 0.0)
    output = weights.matmul(value)
    kept = torch.rand_like(output) >= dropout
    return output * kept / (1 - dropout), weights


# %% wrong: a layer made in the function
# true: weights_dropped
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    scores = query @ key.mT / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights * mask
    return nn.Dropout()(weights) @ value, weights


# %% wrong: the share that is kept
# true: dropout_as_the_share_kept
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    scores = query @ key.mT / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights * mask
    if dropout > 0:
        kept = torch.rand_like(weights) < dropout
        return (weights * kept / dropout) @ value, weights
    return weights @ value, weights


# %% wrong: one name for both weights
# true: weights_after_dropout
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    scores = query @ key.mT / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights * mask
    weights = F.dropout(weights, p=dropout)
    return weights @ value, weights


# %% trivial: zeros
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    weights = torch.zeros(*query.shape[:-1], key.shape[-2], dtype=query.dtype)
    return F.dropout(weights, dropout) @ value, weights


# %% trivial: the input itself
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    return query, key


# %% trivial: uniform
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    weights = torch.full((*query.shape[:-1], key.shape[-2]), 1 / key.shape[-2], dtype=query.dtype)
    return F.dropout(weights, dropout) @ value, weights


# %% trivial: noise
def scaled_dot_product_attention(query, key, value, mask=None, dropout=0.0):
    weights = torch.rand(*query.shape[:-1], key.shape[-2], dtype=query.dtype)
    return F.dropout(weights, dropout) @ value, weights
