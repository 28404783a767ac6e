def head_by_head(query, key, value, mask, dropout, shared):
    """Attend one head at a time; ``shared`` says which head of keys and values belongs to each."""
    if mask is not None:
        mask = mask.expand(*query.shape[:-1], key.size(-2))
    outputs, weights = [], []
    for h in range(query.size(-3)):
        g = shared(h, query.size(-3), key.size(-3))
        allowed = None if mask is None else mask[..., h, :, :]
        one, other = scaled_dot_product_attention(
            query[..., h, :, :], key[..., g, :, :], value[..., g, :, :], allowed, dropout
        )
        outputs.append(one)
        weights.append(other)
    return torch.stack(outputs, dim=-3), torch.stack(weights, dim=-3)


# %% right: copies
def grouped_query_attention(query, key, value, mask=None, dropout=0.0):
    heads = query.size(-3) // key.size(-3)
    key, value = key.repeat_interleave(heads, dim=-3), value.repeat_interleave(heads, dim=-3)
    return scaled_dot_product_attention(query, key, value, mask, dropout)


# %% right: head by head
def grouped_query_attention(query, key, value, mask=None, dropout=0.0):
    return head_by_head(query, key, value, mask, dropout, lambda h, heads, groups: h * groups // heads)


# %% right: one more axis
def grouped_query_attention(query, key, value, mask=None, dropout=0.0):
    parts = (key.shape[-3], query.shape[-3] // key.shape[-3])
    if mask is not None:
        mask = mask.expand(*query.shape[:-1], key.shape[-2]).unflatten(-3, parts)
    output, weights = scaled_dot_product_attention(
        query.unflatten(-3, parts), key.unsqueeze(-3), value.unsqueeze(-3), mask, dropout
    )
    return output.flatten(-4, -3), weights.flatten(-4, -3)


# %% right: an index for every head
def grouped_query_attention(query, key, value, mask=None, dropout=0.0):
    index = torch.arange(query.size(-3)) // (query.size(-3) // key.size(-3))
    return scaled_dot_product_attention(query, key[..., index, :, :], value[..., index, :, :], mask, dropout)


# %% right: by einsum
def grouped_query_attention(query, key, value, mask=None, dropout=0.0):
    q = query.unflatten(-3, (key.size(-3), -1))
    scores = torch.einsum("...grtd,...gsd->...grts", q, key).flatten(-4, -3) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e30)
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights * mask
    mixed = F.dropout(weights, dropout).unflatten(-3, (key.size(-3), -1))
    return torch.einsum("...grts,...gsd->...grtd", mixed, value).flatten(-4, -3), weights


# %% right: group by group
def grouped_query_attention(query, key, value, mask=None, dropout=0.0):
    heads = query.size(-3) // key.size(-3)
    masks = [None] * key.size(-3)
    if mask is not None:
        masks = mask.expand(*query.shape[:-1], key.size(-2)).split(heads, dim=-3)
    found = [
        scaled_dot_product_attention(q, key[..., g : g + 1, :, :], value[..., g : g + 1, :, :], masks[g], dropout)
        for g, q in enumerate(query.split(heads, dim=-3))
    ]
    return tuple(torch.cat(parts, dim=-3) for parts in zip(*found, strict=True))


# %% wrong: values laid out whole
# defines: values_take_turns
def grouped_query_attention(query, key, value, mask=None, dropout=0.0):
    heads = query.size(-3) // key.size(-3)
    key = key.repeat_interleave(heads, dim=-3)
    value = torch.cat([value] * heads, dim=-3)
    return scaled_dot_product_attention(query, key, value, mask, dropout)


# %% wrong: repeat
# true: heads_take_turns
def grouped_query_attention(query, key, value, mask=None, dropout=0.0):
    heads = query.size(-3) // key.size(-3)
    copies = [1] * (key.dim() - 3) + [heads, 1, 1]
    return scaled_dot_product_attention(query, key.repeat(copies), value.repeat(copies), mask, dropout)


# %% wrong: the remainder
# true: heads_take_turns
def grouped_query_attention(query, key, value, mask=None, dropout=0.0):
    return head_by_head(query, key, value, mask, dropout, lambda h, heads, groups: h % groups)


# %% wrong: always the first
# true: all_heads_share_the_first
def grouped_query_attention(query, key, value, mask=None, dropout=0.0):
    return head_by_head(query, key, value, mask, dropout, lambda h, heads, groups: 0)


# %% wrong: one question for each group
# defines: queries_of_a_group_added
def grouped_query_attention(query, key, value, mask=None, dropout=0.0):
    heads, groups = query.size(-3), key.size(-3)
    scores = query.unflatten(-3, (groups, -1)).sum(-3) @ key.mT / math.sqrt(query.size(-1))
    scores = scores.repeat_interleave(heads // groups, dim=-3)
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights * mask
    return F.dropout(weights, dropout) @ value.repeat_interleave(heads // groups, dim=-3), weights


# %% wrong: written out, without the root
# true: unscaled
def grouped_query_attention(query, key, value, mask=None, dropout=0.0):
    q = query.unflatten(-3, (key.size(-3), -1))
    scores = torch.einsum("...grtd,...gsd->...grts", q, key).flatten(-4, -3)
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e30)
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights * mask
    mixed = F.dropout(weights, dropout).unflatten(-3, (key.size(-3), -1))
    return torch.einsum("...grts,...gsd->...grtd", mixed, value).flatten(-4, -3), weights


# %% wrong: the mean key
# true: groups_averaged
def grouped_query_attention(query, key, value, mask=None, dropout=0.0):
    key, value = (x.mean(-3, keepdim=True).expand(*query.shape[:-2], *x.shape[-2:]) for x in (key, value))
    return scaled_dot_product_attention(query, key, value, mask, dropout)


# %% trivial: zeros
def grouped_query_attention(query, key, value, mask=None, dropout=0.0):
    return (
        query.new_zeros(*query.shape[:-1], value.size(-1)),
        query.new_zeros(*query.shape[:-1], key.size(-2)),
    )


# %% trivial: the query
def grouped_query_attention(query, key, value, mask=None, dropout=0.0):
    return query, query


# %% trivial: uniform
def grouped_query_attention(query, key, value, mask=None, dropout=0.0):
    weights = query.new_full((*query.shape[:-1], key.size(-2)), 1 / key.size(-2))
    return weights @ value.repeat_interleave(query.size(-3) // key.size(-3), dim=-3), weights
