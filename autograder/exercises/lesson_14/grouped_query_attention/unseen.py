# %% wrong (fifth): keys and values are tiled, so query head h gets head h % G, not h // (H // G)
# true: heads_take_turns
def grouped_query_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    copies = query.shape[-3] // key.shape[-3]
    times = [1] * (key.dim() - 3) + [copies, 1, 1]
    return scaled_dot_product_attention(query, key.repeat(*times), value.repeat(*times), mask, dropout)


# %% wrong (fifth): the rows of the mask go position by position, the queries head by head
# true: mask_in_another_order
def grouped_query_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    *lead, heads, length, width = query.shape
    groups, size = key.shape[-3], key.shape[-2]
    share = heads // groups
    stacked = query.reshape(*lead, groups, share * length, width)
    if mask is not None:
        mask = torch.broadcast_to(mask, (*lead, heads, length, size)).unflatten(-3, (groups, share))
        mask = mask.transpose(-3, -2).reshape(*lead, groups, length * share, size)
    output, weights = scaled_dot_product_attention(stacked, key, value, mask, dropout)
    return (
        output.reshape(*lead, heads, length, value.shape[-1]),
        weights.reshape(*lead, heads, length, size),
    )


# %% wrong (fifth): the mask gets no axis for the groups, so its axes B, H meet the axes G, H // G
def grouped_query_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    groups = key.shape[-3]
    grouped = query.unflatten(-3, (groups, query.shape[-3] // groups))  # (..., G, H/G, T, Dk)
    output, weights = scaled_dot_product_attention(
        grouped, key.unsqueeze(-3), value.unsqueeze(-3), mask, dropout
    )
    return output.flatten(-4, -3), weights.flatten(-4, -3)


# %% wrong (fifth): dropout is not passed on, so nothing is ever dropped
# true: dropout_ignored
def grouped_query_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    share = query.shape[-3] // key.shape[-3]
    key = key.repeat_interleave(share, dim=-3)
    value = value.repeat_interleave(share, dim=-3)
    return scaled_dot_product_attention(query, key, value, mask)


# %% wrong (fifth): a query whose keys are all masked gets NaN, as softmax is written by hand
def grouped_query_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    share = query.size(-3) // key.size(-3)
    key, value = (x.repeat_interleave(share, dim=-3) for x in (key, value))
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return F.dropout(weights, dropout) @ value, weights


# %% wrong (fifth): only the output is taken apart, the weights stay (..., G, H // G * T, S)
# true: weights_left_together
def grouped_query_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    *batch, H, T, Dk = query.shape
    G, S = key.shape[-3:-1]
    if mask is not None:
        mask = mask.broadcast_to(*batch, H, T, S).reshape(*batch, G, H // G * T, S)
    output, weights = scaled_dot_product_attention(
        query.reshape(*batch, G, H // G * T, Dk), key, value, mask, dropout
    )
    return output.reshape(*batch, H, T, -1), weights


# %% wrong (fifth): the output is reshaped to the shape of the query: an error if Dv is not Dk
def grouped_query_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    H, T = query.shape[-3:-1]
    G, S = key.shape[-3:-1]
    below = query.unflatten(-3, (G, H // G)).flatten(-3, -2)  # (..., G, H/G T, Dk)
    if mask is not None:
        mask = torch.broadcast_to(mask, (*query.shape[:-1], S))
        mask = mask.unflatten(-3, (G, H // G)).flatten(-3, -2)
    output, weights = scaled_dot_product_attention(below, key, value, mask, dropout)
    return output.reshape(query.shape), weights.reshape(*query.shape[:-1], S)


# %% wrong (fifth): needs exactly four axes, stops with an error without a batch or with two of them
def grouped_query_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    B, H, T, _ = query.shape
    _, G, S, Dk = key.shape
    Dv = value.shape[-1]
    share = H // G
    key = key[:, :, None, :, :].expand(B, G, share, S, Dk).reshape(B, H, S, Dk)
    value = value[:, :, None, :, :].expand(B, G, share, S, Dv).reshape(B, H, S, Dv)
    return scaled_dot_product_attention(query, key, value, mask, dropout)


# %% wrong (fifth): the weights that are returned are those after dropout
# true: weights_after_dropout
def grouped_query_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    share = query.shape[-3] // key.shape[-3]
    key = torch.repeat_interleave(key, share, dim=-3)
    value = torch.repeat_interleave(value, share, dim=-3)
    _, weights = scaled_dot_product_attention(query, key, value, mask)
    weights = F.dropout(weights, p=dropout)
    return weights @ value, weights


# %% wrong (fifth): all heads get the mask of head 0, though a mask may have an axis of H heads
# true: mask_of_the_first_head
def grouped_query_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    *lead, heads, length, width = query.shape
    groups, size = key.shape[-3], key.shape[-2]
    share = heads // groups
    if mask is not None:
        rows = torch.broadcast_to(mask, (*lead, heads, length, size))[..., :1, :, :]  # the same for all heads
        mask = torch.cat([rows] * share, dim=-2)  # (..., 1, H/G T, S)
    stacked = query.reshape(*lead, groups, share * length, width)
    output, weights = scaled_dot_product_attention(stacked, key, value, mask, dropout)
    output = output.reshape(*lead, heads, length, value.shape[-1])
    return output, weights.reshape(*lead, heads, length, size)


# %% right (fifth): a loop over the heads of queries, stacked at the end
def grouped_query_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    num_heads, num_groups = query.shape[-3], key.shape[-3]
    if mask is not None:
        mask = torch.broadcast_to(mask, query.shape[:-1] + key.shape[-2:-1])  # (..., H, T, S)
    outputs, all_weights = [], []
    for head in range(num_heads):
        group = head * num_groups // num_heads
        output, weights = scaled_dot_product_attention(
            query[..., head, :, :],
            key[..., group, :, :],
            value[..., group, :, :],
            None if mask is None else mask[..., head, :, :],
            dropout,
        )
        outputs.append(output)
        all_weights.append(weights)
    return torch.stack(outputs, dim=-3), torch.stack(all_weights, dim=-3)


# %% right (fifth): the queries of a group below each other, nothing copied
def grouped_query_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    H, T = query.shape[-3:-1]
    G, S = key.shape[-3:-1]

    def stack(x: Tensor) -> Tensor:
        """(..., H, T, anything) to (..., G, H/G T, anything)."""
        return x.unflatten(-3, (G, H // G)).flatten(-3, -2)

    def apart(x: Tensor) -> Tensor:
        return x.unflatten(-2, (H // G, T)).flatten(-4, -3)

    rows = None if mask is None else stack(mask.broadcast_to(*query.shape[:-1], S))
    output, weights = scaled_dot_product_attention(stack(query), key, value, rows, dropout)
    return apart(output), apart(weights)


# %% right (fifth): the head of keys of each query head by an index
def grouped_query_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    heads = query.size(-3)
    share = heads // key.size(-3)
    which = torch.div(torch.arange(heads, device=key.device), share, rounding_mode="floor")  # 0 0 1 1 ...
    return scaled_dot_product_attention(
        query, key.index_select(key.dim() - 3, which), value.index_select(value.dim() - 3, which), mask, dropout
    )


# %% right (fifth): one call for each group, with the keys expanded for its heads, then joined
def grouped_query_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    G = key.shape[-3]
    share = query.shape[-3] // G
    queries = query.split(share, dim=-3)
    if mask is None:
        masks = [None] * G
    else:
        masks = mask.expand(*query.shape[:-1], key.shape[-2]).split(share, dim=-3)
    parts = []
    for g in range(G):
        k = torch.cat([key[..., g : g + 1, :, :]] * share, dim=-3)
        v = torch.cat([value[..., g : g + 1, :, :]] * share, dim=-3)
        parts.append(scaled_dot_product_attention(queries[g], k, v, masks[g], dropout))
    output = torch.cat([part[0] for part in parts], dim=-3)
    weights = torch.cat([part[1] for part in parts], dim=-3)
    return output, weights
