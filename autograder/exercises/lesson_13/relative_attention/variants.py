# %% right: added to the keys
def relative_attention(query, key, value, key_table, value_table, mask=None):
    gaps = relative_positions(query.size(-2), key.size(-2), (len(key_table) - 1) // 2)
    keys = key.unsqueeze(-3) + key_table[gaps]  # (..., T, S, Dk)
    values = value.unsqueeze(-3) + value_table[gaps]
    scores = (keys @ query.unsqueeze(-1)).squeeze(-1) / query.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.nan_to_num(scores.softmax(-1))
    return (weights.unsqueeze(-2) @ values).squeeze(-2), weights


# %% right: gathered
def relative_attention(query, key, value, key_table, value_table, mask=None):
    T, S, K = query.shape[-2], key.shape[-2], key_table.shape[0] // 2
    rows = relative_positions(T, S, K)
    by_row = query @ key_table.T  # (..., T, 2K + 1)
    near = torch.gather(by_row, -1, rows.expand(*query.shape[:-2], T, S))
    scores = (torch.matmul(query, key.mT) + near) * query.shape[-1] ** -0.5
    if mask is not None:
        scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    weights = F.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask
    shares = torch.zeros(*weights.shape[:-1], 2 * K + 1, dtype=weights.dtype)
    shares = shares.scatter_add(-1, rows.expand_as(weights), weights)  # (..., T, 2K + 1)
    return weights @ value + shares @ value_table, weights


# %% right: query after query
def relative_attention(query, key, value, key_table, value_table, mask=None):
    T, S = query.size(-2), key.size(-2)
    rows = relative_positions(T, S, len(value_table) // 2)
    if mask is None:
        mask = torch.ones(T, S, dtype=torch.bool)
    mask = mask.expand(*query.shape[:-2], T, S)
    outputs, all_weights = [], []
    for t in range(T):
        k, v = key + key_table[rows[t]], value + value_table[rows[t]]  # (..., S, D)
        scores = (query[..., t : t + 1, :] * k).sum(-1) / math.sqrt(k.size(-1))  # (..., S)
        seen = mask[..., t, :]
        powers = torch.exp(scores - scores.amax(-1, keepdim=True)) * seen
        total = powers.sum(-1, keepdim=True)
        weights = powers / torch.where(total == 0, 1, total)
        outputs.append((weights.unsqueeze(-1) * v).sum(-2))
        all_weights.append(weights)
    return torch.stack(outputs, dim=-2), torch.stack(all_weights, dim=-2)


# %% right: by one hot rows
def relative_attention(query, key, value, key_table, value_table, mask=None):
    rows = relative_positions(query.size(-2), key.size(-2), key_table.size(0) // 2)
    which = F.one_hot(rows, key_table.size(0)).to(query.dtype)  # (T, S, 2K + 1)
    near = torch.einsum("...td,rd,tsr->...ts", query, key_table, which)
    scores = torch.einsum("...td,...sd->...ts", query, key) + near
    scores = scores / math.sqrt(key.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), -torch.inf)
    weights = scores.softmax(dim=-1)
    weights = torch.where(weights.isnan(), 0.0, weights)
    return weights @ value + torch.einsum("...ts,tsr,rd->...td", weights, which, value_table), weights


# %% wrong: only values are told
# true: keys_without_distance
def relative_attention(query, key, value, key_table, value_table, mask=None):
    rows = relative_positions(query.size(-2), key.size(-2), len(key_table) // 2)
    scores = query @ key.mT / query.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = scores.softmax(-1).nan_to_num()
    return torch.einsum("...ts,...tsd->...td", weights, value.unsqueeze(-3) + value_table[rows]), weights


# %% trivial: zeros
def relative_attention(query, key, value, key_table, value_table, mask=None):
    lead = query.shape[:-1]
    return torch.zeros(*lead, value.size(-1)), torch.zeros(*lead, key.size(-2))


# %% trivial: uniform
def relative_attention(query, key, value, key_table, value_table, mask=None):
    weights = torch.full((*query.shape[:-1], key.size(-2)), 1 / key.size(-2), dtype=query.dtype)
    return weights @ value, weights


# %% trivial: noise
def relative_attention(query, key, value, key_table, value_table, mask=None):
    weights = torch.rand(*query.shape[:-1], key.size(-2), dtype=query.dtype).softmax(-1)
    return weights @ value, weights
