# %% wrong (fourth): the table of values is forgotten
# true: values_without_distance
def relative_attention(
    query: Tensor, key: Tensor, value: Tensor, key_table: Tensor, value_table: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    rows = relative_positions(query.size(-2), key.size(-2), (key_table.size(0) - 1) // 2)
    scores = query @ key.transpose(-2, -1)
    scores = scores + torch.einsum("...td,tsd->...ts", query, key_table[rows])
    scores = scores / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1).nan_to_num(0.0)
    return weights @ value, weights


# %% wrong (fourth): only the content's score is divided by the root of Dk, the distance's is added as it is
# true: distance_not_scaled
def relative_attention(
    query: Tensor, key: Tensor, value: Tensor, key_table: Tensor, value_table: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    K = key_table.shape[0] // 2
    r = relative_positions(query.shape[-2], key.shape[-2], K)
    content = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
    position = (query.unsqueeze(-2) * key_table[r]).sum(-1)
    scores = content + position
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, -1)
    weights = torch.nan_to_num(weights, 0.0)
    output = weights @ value + (weights.unsqueeze(-1) * value_table[r]).sum(-2)
    return output, weights


# %% wrong (fourth): the key's table is compared with the key instead of the query
# true: compared_with_the_key
def relative_attention(
    query: Tensor, key: Tensor, value: Tensor, key_table: Tensor, value_table: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    T, S, d_k = query.size(-2), key.size(-2), query.size(-1)
    r = relative_positions(T, S, key_table.size(0) // 2)
    a, b = key_table[r], value_table[r]
    scores = query @ key.mT + torch.einsum("...sd,tsd->...ts", key, a)
    scores = scores / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = scores.softmax(-1).nan_to_num()
    output = weights @ value + torch.einsum("...ts,tsd->...td", weights, b)
    return output, weights


# %% wrong (fourth): the values' vectors are added up over all keys, not weighted
# true: every_distance_added_in_full
def relative_attention(
    query: Tensor, key: Tensor, value: Tensor, key_table: Tensor, value_table: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    max_distance = (len(key_table) - 1) // 2
    r = relative_positions(query.size(-2), key.size(-2), max_distance)  # (T, S)
    keys = key.unsqueeze(-3) + key_table[r]  # (..., T, S, Dk)
    scores = (query.unsqueeze(-2) * keys).sum(-1) / math.sqrt(key.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    weights = torch.where(torch.isnan(weights), torch.zeros_like(weights), weights)
    output = weights @ value + value_table[r].sum(dim=1)
    return output, weights


# %% wrong (fourth): the rows are those of keys that look at queries: all distances have the wrong sign
# true: tables_read_backwards
def relative_attention(
    query: Tensor, key: Tensor, value: Tensor, key_table: Tensor, value_table: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    k = key_table.size(0) // 2
    r = relative_positions(key.size(-2), query.size(-2), k).T  # (T, S)
    scores = torch.einsum("...td,...sd->...ts", query, key) + torch.einsum("...td,tsd->...ts", query, key_table[r])
    scores = scores * query.size(-1) ** -0.5
    if mask is not None:
        scores = scores.masked_fill(torch.logical_not(mask), float("-inf"))
    weights = torch.nan_to_num(scores.softmax(dim=-1))
    out = torch.einsum("...ts,...sd->...td", weights, value)
    out = out + torch.einsum("...ts,tsd->...td", weights, value_table[r])
    return out, weights


# %% wrong (fourth): a query without keys gets nan
# true: fully_masked_nan
def relative_attention(
    query: Tensor, key: Tensor, value: Tensor, key_table: Tensor, value_table: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    r = relative_positions(query.size(-2), key.size(-2), key_table.size(0) // 2)
    scores = (query[..., :, None, :] @ (key[..., None, :, :] + key_table[r]).transpose(-1, -2)).squeeze(-2)
    scores = scores / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    output = (weights[..., None] * (value[..., None, :, :] + value_table[r])).sum(dim=-2)
    return output, weights


# %% wrong (fourth): masked scores are 0 before the softmax
# true: masked_scores_zero
def relative_attention(
    query: Tensor, key: Tensor, value: Tensor, key_table: Tensor, value_table: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    r = relative_positions(query.size(-2), key.size(-2), key_table.size(0) // 2)
    scores = query @ key.transpose(-2, -1) + torch.einsum("...td,tsd->...ts", query, key_table[r])
    scores = scores / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores * mask
    weights = torch.softmax(scores, dim=-1)
    output = weights @ value + torch.einsum("...ts,tsd->...td", weights, value_table[r])
    return output, weights


# %% wrong (fourth): -1e9 where masked, so a query without keys looks at all alike
# true: fully_masked_uniform
def relative_attention(
    query: Tensor, key: Tensor, value: Tensor, key_table: Tensor, value_table: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    T, S = query.size(-2), key.size(-2)
    max_distance = (key_table.size(0) - 1) // 2
    idx = relative_positions(T, S, max_distance)
    rel_k = key_table[idx]
    rel_v = value_table[idx]
    attn1 = torch.matmul(query, key.transpose(-2, -1))
    attn2 = torch.einsum("...qd,qkd->...qk", query, rel_k)
    attn = (attn1 + attn2) / math.sqrt(query.size(-1))
    if mask is not None:
        attn = attn.masked_fill(mask == 0, -1e9)
    attn = torch.softmax(attn, dim=-1)
    out1 = torch.matmul(attn, value)
    out2 = torch.einsum("...qk,qkd->...qd", attn, rel_v)
    return out1 + out2, attn


# %% wrong (fourth): the scores are not divided by the root of Dk
# true: unscaled
def relative_attention(
    query: Tensor, key: Tensor, value: Tensor, key_table: Tensor, value_table: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    r = relative_positions(query.size(-2), key.size(-2), key_table.size(0) // 2)
    keys = key.unsqueeze(-3) + key_table[r]
    values = value.unsqueeze(-3) + value_table[r]
    scores = torch.einsum("...td,...tsd->...ts", query, keys)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.nan_to_num(torch.softmax(scores, dim=-1), nan=0.0)
    return torch.einsum("...ts,...tsd->...td", weights, values), weights


# %% wrong (fourth): takes the number of rows less one for K
def relative_attention(
    query: Tensor, key: Tensor, value: Tensor, key_table: Tensor, value_table: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    max_distance = key_table.size(0) - 1
    r = relative_positions(query.size(-2), key.size(-2), max_distance).clamp(max=max_distance)
    scores = query @ key.transpose(-2, -1) + torch.einsum("...td,tsd->...ts", query, key_table[r])
    scores = scores / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1).nan_to_num(0.0)
    return weights @ value + torch.einsum("...ts,tsd->...td", weights, value_table[r]), weights


# %% right (fourth): a product with the short table, of which each pair gathers its distance; the weights of a distance are added up
def relative_attention(
    query: Tensor, key: Tensor, value: Tensor, key_table: Tensor, value_table: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    (T, d_k), S = query.shape[-2:], key.shape[-2]
    R = key_table.shape[0]
    rows = relative_positions(T, S, (R - 1) // 2)
    content = query @ key.transpose(-1, -2)  # (..., T, S)
    by_distance = query @ key_table.T  # (..., T, R)
    distance = torch.gather(by_distance, -1, rows.expand(*by_distance.shape[:-1], S))
    scores = (content + distance) / math.sqrt(d_k)
    if mask is not None:
        scores = torch.where(mask, scores, torch.full_like(scores, -math.inf))
    weights = torch.softmax(scores, dim=-1)
    weights = torch.where(weights.isnan(), torch.zeros_like(weights), weights)
    one_hot = torch.nn.functional.one_hot(rows, R).to(weights.dtype)  # (T, S, R)
    per_row = torch.einsum("...ts,tsr->...tr", weights, one_hot)
    return weights @ value + per_row @ value_table, weights


# %% right (fourth): keys and values of every pair are built, (..., T, S, D), then batched products
def relative_attention(
    query: Tensor, key: Tensor, value: Tensor, key_table: Tensor, value_table: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    r = relative_positions(query.shape[-2], key.shape[-2], key_table.shape[0] // 2)
    keys = key.unsqueeze(-3) + key_table[r]
    values = value.unsqueeze(-3) + value_table[r]
    scores = (keys @ query.unsqueeze(-1)).squeeze(-1) / query.shape[-1] ** 0.5
    if mask is not None:
        mask = mask.expand(scores.shape)
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights * mask
    return (weights.unsqueeze(-2) @ values).squeeze(-2), weights


# %% right (fourth): one query at a time
def relative_attention(
    query: Tensor, key: Tensor, value: Tensor, key_table: Tensor, value_table: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    T, S = query.size(-2), key.size(-2)
    r = relative_positions(T, S, len(key_table) // 2)
    if mask is not None:
        mask = mask.broadcast_to(*query.shape[:-1], S)
    outputs, all_weights = [], []
    for t in range(T):
        k = key + key_table[r[t]]  # (..., S, Dk)
        v = value + value_table[r[t]]  # (..., S, Dv)
        e = (k * query[..., t : t + 1, :]).sum(-1) / math.sqrt(query.size(-1))  # (..., S)
        if mask is not None:
            e = e.masked_fill(~mask[..., t, :], -math.inf)
        w = e.softmax(-1).nan_to_num(0.0)
        all_weights.append(w)
        outputs.append((w.unsqueeze(-1) * v).sum(-2))
    return torch.stack(outputs, dim=-2), torch.stack(all_weights, dim=-2)


# %% right (fourth): exponentials by hand, with the distances worked out anew
def relative_attention(
    query: Tensor, key: Tensor, value: Tensor, key_table: Tensor, value_table: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    K = key_table.size(0) // 2
    gap = torch.arange(key.size(-2)) - torch.arange(query.size(-2))[:, None]
    r = gap.clamp(-K, K) + K
    q = query / math.sqrt(query.size(-1))
    e = torch.einsum("...td,...sd->...ts", q, key) + torch.einsum("...td,tsd->...ts", q, key_table[r])
    seen = torch.ones_like(e) if mask is None else mask.to(e.dtype).expand_as(e)
    e = e - e.masked_fill(seen == 0, -1e30).amax(-1, keepdim=True)
    raised = torch.exp(e.masked_fill(seen == 0, 0.0)) * seen
    weights = raised / raised.sum(-1, keepdim=True).clamp(min=1e-30)
    output = torch.einsum("...ts,...sv->...tv", weights, value) + torch.einsum("...ts,tsv->...tv", weights, value_table[r])
    return output, weights


# %% wrong (fifth): the scores are divided by the root of the values' width, right only if Dv = Dk
# true: root_of_the_values_width
def relative_attention(
    query: Tensor, key: Tensor, value: Tensor, key_table: Tensor, value_table: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    T, S, d = query.size(-2), key.size(-2), value.size(-1)
    rows = relative_positions(T, S, key_table.size(0) // 2)
    a, b = key_table[rows], value_table[rows]  # (T, S, Dk), (T, S, Dv)
    scores = query @ key.transpose(-2, -1) + (query.unsqueeze(-2) * a).sum(dim=-1)
    scores = scores / math.sqrt(d)
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    output = weights @ value + (weights.unsqueeze(-1) * b).sum(dim=-2)
    return output, weights


# %% wrong (fifth): masked scores become -1e9, so a query whose keys are all masked attends to all of them equally
# true: fully_masked_uniform
def relative_attention(
    query: Tensor, key: Tensor, value: Tensor, key_table: Tensor, value_table: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    K = (key_table.shape[0] - 1) // 2
    r = relative_positions(query.shape[-2], key.shape[-2], K)
    keys = key.unsqueeze(-3) + key_table[r]  # (..., T, S, Dk)
    values = value.unsqueeze(-3) + value_table[r]  # (..., T, S, Dv)
    scores = torch.einsum("...td,...tsd->...ts", query, keys) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    weights = torch.softmax(scores, dim=-1)
    output = torch.einsum("...ts,...tsd->...td", weights, values)
    return output, weights


# %% right (fifth): nothing of shape (T, S, D): scores per row of the table are gathered, weights summed per row
def relative_attention(
    query: Tensor, key: Tensor, value: Tensor, key_table: Tensor, value_table: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    count = len(key_table)
    rows = relative_positions(query.size(-2), key.size(-2), (count - 1) // 2).to(query.device)  # (T, S)
    scores = query.matmul(key.mT)  # (..., T, S)
    rows = rows.expand(scores.shape)
    by_row = query.matmul(key_table.mT)  # (..., T, 2K + 1)
    scores = (scores + by_row.gather(-1, rows)) * query.size(-1) ** -0.5
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        lowest = torch.finfo(scores.dtype).min
        weights = torch.where(mask, scores, lowest).softmax(dim=-1) * mask
    per_row = torch.zeros_like(by_row).scatter_add(-1, rows, weights)  # (..., T, 2K + 1)
    return weights.matmul(value) + per_row.matmul(value_table), weights
