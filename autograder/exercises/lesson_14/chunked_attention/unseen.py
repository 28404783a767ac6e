# %% wrong (fourth): a softmax in each chunk, and the mean of their outputs
# true: mean_of_the_chunks
def chunked_attention(query: Tensor, key: Tensor, value: Tensor, chunk_size: int, mask: Tensor | None = None) -> Tensor:
    outputs = []
    for start in range(0, key.size(-2), chunk_size):
        k, v = key[..., start : start + chunk_size, :], value[..., start : start + chunk_size, :]
        m = None if mask is None else mask[..., start : start + chunk_size]
        out, _ = scaled_dot_product_attention(query, k, v, m)
        outputs.append(out)
    return torch.stack(outputs).mean(dim=0)


# %% wrong (fourth): a last chunk that is not full is left out
# true: last_chunk_left_out
def chunked_attention(query: Tensor, key: Tensor, value: Tensor, chunk_size: int, mask: Tensor | None = None) -> Tensor:
    maximum = query.new_full(query.shape[:-1], -math.inf)
    total = query.new_zeros(query.shape[:-1])
    mixture = query.new_zeros(*query.shape[:-1], value.size(-1))

    for i in range(key.size(-2) // chunk_size):
        part = slice(i * chunk_size, (i + 1) * chunk_size)
        scores = query @ key[..., part, :].transpose(-2, -1) / math.sqrt(query.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask[..., part], -math.inf)
        maximum, total, mixture = online_softmax(maximum, total, mixture, scores, value[..., part, :])

    return torch.where(total.unsqueeze(-1) > 0, mixture / total.unsqueeze(-1), torch.zeros_like(mixture))


# %% wrong (fourth): the mask's first columns hide keys in every chunk
# true: mask_of_the_first_chunk
def chunked_attention(query: Tensor, key: Tensor, value: Tensor, chunk_size: int, mask: Tensor | None = None) -> Tensor:
    maximum = query.new_full(query.shape[:-1], -math.inf)
    total = query.new_zeros(query.shape[:-1])
    mixture = query.new_zeros(*query.shape[:-1], value.size(-1))

    for start in range(0, key.size(-2), chunk_size):
        k = key[..., start : start + chunk_size, :]
        v = value[..., start : start + chunk_size, :]
        scores = query @ k.transpose(-1, -2) / query.size(-1) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask[..., : k.size(-2)], float("-inf"))
        maximum, total, mixture = online_softmax(maximum, total, mixture, scores, v)

    return torch.where(total.unsqueeze(-1) > 0, mixture / total.unsqueeze(-1), torch.zeros_like(mixture))


# %% wrong (fourth): not divided by the root of Dk
# true: unscaled
def chunked_attention(query: Tensor, key: Tensor, value: Tensor, chunk_size: int, mask: Tensor | None = None) -> Tensor:
    maximum = query.new_full(query.shape[:-1], -math.inf)
    total = query.new_zeros(query.shape[:-1])
    mixture = query.new_zeros(*query.shape[:-1], value.size(-1))

    for k, v, at in zip(key.split(chunk_size, -2), value.split(chunk_size, -2), range(0, key.size(-2), chunk_size)):
        scores = query @ k.mT
        if mask is not None:
            scores = scores.masked_fill(~mask[..., at : at + chunk_size], -math.inf)
        maximum, total, mixture = online_softmax(maximum, total, mixture, scores, v)

    return torch.where(total.unsqueeze(-1) > 0, mixture / total.unsqueeze(-1), torch.zeros_like(mixture))


# %% wrong (fourth): nan where all keys are masked: 0 over 0
# true: zero_divided_by_zero
def chunked_attention(query: Tensor, key: Tensor, value: Tensor, chunk_size: int, mask: Tensor | None = None) -> Tensor:
    maximum = query.new_full(query.shape[:-1], -math.inf)
    total = query.new_zeros(query.shape[:-1])
    mixture = query.new_zeros(*query.shape[:-1], value.size(-1))

    for start in range(0, key.size(-2), chunk_size):
        stop = min(start + chunk_size, key.size(-2))
        scores = query @ key[..., start:stop, :].transpose(-2, -1) / math.sqrt(key.size(-1))
        if mask is not None:
            scores = scores.masked_fill(mask[..., start:stop] == 0, float("-inf"))
        maximum, total, mixture = online_softmax(maximum, total, mixture, scores, value[..., start:stop, :])
    return mixture / total.unsqueeze(-1)


# %% wrong (fourth): the running maximum begins at 0
# true: maximum_starts_at_zero
def chunked_attention(query: Tensor, key: Tensor, value: Tensor, chunk_size: int, mask: Tensor | None = None) -> Tensor:
    maximum = torch.zeros(query.shape[:-1], dtype=query.dtype)
    total = torch.zeros(query.shape[:-1], dtype=query.dtype)
    mixture = torch.zeros(query.shape[:-1] + value.shape[-1:], dtype=query.dtype)
    for start in range(0, key.size(-2), chunk_size):
        s = slice(start, start + chunk_size)
        scores = query @ key[..., s, :].transpose(-2, -1) / math.sqrt(query.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask[..., s], -math.inf)
        maximum, total, mixture = online_softmax(maximum, total, mixture, scores, value[..., s, :])
    return mixture / total.unsqueeze(-1).clamp(min=1e-38)


# %% wrong (fourth): all scores are computed at once, and only the softmax goes by chunks
# true: all_scores_at_once
def chunked_attention(query: Tensor, key: Tensor, value: Tensor, chunk_size: int, mask: Tensor | None = None) -> Tensor:
    maximum = query.new_full(query.shape[:-1], -math.inf)
    total = query.new_zeros(query.shape[:-1])
    mixture = query.new_zeros(*query.shape[:-1], value.size(-1))

    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))  # (..., T, S)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    for start in range(0, key.size(-2), chunk_size):
        maximum, total, mixture = online_softmax(
            maximum, total, mixture, scores[..., start : start + chunk_size], value[..., start : start + chunk_size, :]
        )

    return torch.where(total.unsqueeze(-1) > 0, mixture / total.unsqueeze(-1), torch.zeros_like(mixture))


# %% wrong (fourth): never divided by the total
# true: never_divided
def chunked_attention(query: Tensor, key: Tensor, value: Tensor, chunk_size: int, mask: Tensor | None = None) -> Tensor:
    maximum = query.new_full(query.shape[:-1], -math.inf)
    total = query.new_zeros(query.shape[:-1])
    mixture = query.new_zeros(*query.shape[:-1], value.size(-1))

    for i in range(0, key.shape[-2], chunk_size):
        k_c, v_c = key[..., i : i + chunk_size, :], value[..., i : i + chunk_size, :]
        s = torch.einsum("...td,...cd->...tc", query, k_c) / math.sqrt(query.shape[-1])
        if mask is not None:
            s = s.masked_fill(~mask[..., i : i + chunk_size], -math.inf)
        maximum, total, mixture = online_softmax(maximum, total, mixture, s, v_c)
    return mixture


# %% wrong (fourth): the mask is not used
# true: mask_ignored
def chunked_attention(query: Tensor, key: Tensor, value: Tensor, chunk_size: int, mask: Tensor | None = None) -> Tensor:
    maximum = query.new_full(query.shape[:-1], -math.inf)
    total = query.new_zeros(query.shape[:-1])
    mixture = query.new_zeros(*query.shape[:-1], value.size(-1))

    for k, v in zip(torch.split(key, chunk_size, dim=-2), torch.split(value, chunk_size, dim=-2)):
        scores = torch.matmul(query, k.transpose(-1, -2)) / math.sqrt(query.size(-1))
        maximum, total, mixture = online_softmax(maximum, total, mixture, scores, v)

    return torch.where(total.unsqueeze(-1) > 0, mixture / total.unsqueeze(-1), torch.zeros_like(mixture))


# %% wrong (fourth): torch.chunk takes the number of chunks, not their size; values and masks are cut alike, so only the memory tells
# true: as_many_chunks_as_their_size
def chunked_attention(query: Tensor, key: Tensor, value: Tensor, chunk_size: int, mask: Tensor | None = None) -> Tensor:
    maximum = query.new_full(query.shape[:-1], -math.inf)
    total = query.new_zeros(query.shape[:-1])
    mixture = query.new_zeros(*query.shape[:-1], value.size(-1))

    keys, values = torch.chunk(key, chunk_size, dim=-2), torch.chunk(value, chunk_size, dim=-2)
    masks = [None] * len(keys) if mask is None else torch.chunk(mask, chunk_size, dim=-1)
    for k, v, m in zip(keys, values, masks):
        scores = query @ k.transpose(-2, -1) / math.sqrt(query.size(-1))
        if m is not None:
            scores = scores.masked_fill(~m, -math.inf)
        maximum, total, mixture = online_softmax(maximum, total, mixture, scores, v)

    return torch.where(total.unsqueeze(-1) > 0, mixture / total.unsqueeze(-1), torch.zeros_like(mixture))


# %% wrong (fourth): exponentials of the scores as they are, without a maximum
def chunked_attention(query: Tensor, key: Tensor, value: Tensor, chunk_size: int, mask: Tensor | None = None) -> Tensor:
    total = 0
    mixture = 0
    for start in range(0, key.size(-2), chunk_size):
        s = slice(start, start + chunk_size)
        e = torch.exp(query @ key[..., s, :].transpose(-2, -1) / math.sqrt(query.size(-1)))
        if mask is not None:
            e = e * mask[..., s]
        total = total + e.sum(dim=-1, keepdim=True)
        mixture = mixture + e @ value[..., s, :]
    return torch.where(total > 0, mixture / total, 0.0)


# %% right (fourth): a loop with online_softmax over slices
def chunked_attention(query: Tensor, key: Tensor, value: Tensor, chunk_size: int, mask: Tensor | None = None) -> Tensor:
    maximum = query.new_full(query.shape[:-1], -math.inf)
    total = query.new_zeros(query.shape[:-1])
    mixture = query.new_zeros(*query.shape[:-1], value.size(-1))

    scale = query.size(-1) ** -0.5
    for start in range(0, key.size(-2), chunk_size):
        here = slice(start, start + chunk_size)
        scores = (query * scale) @ key[..., here, :].transpose(-2, -1)
        if mask is not None:
            scores = torch.where(mask[..., here], scores, -math.inf)
        maximum, total, mixture = online_softmax(maximum, total, mixture, scores, value[..., here, :])
    return mixture / total.masked_fill(total == 0, 1.0).unsqueeze(-1)


# %% right (fourth): twice over the keys: once for the largest score, once for the sums
def chunked_attention(query: Tensor, key: Tensor, value: Tensor, chunk_size: int, mask: Tensor | None = None) -> Tensor:
    def chunks():
        for start in range(0, key.size(-2), chunk_size):
            here = slice(start, start + chunk_size)
            scores = torch.einsum("...td,...cd->...tc", query, key[..., here, :]) / math.sqrt(query.size(-1))
            if mask is not None:
                scores = scores.masked_fill(~mask[..., here], -math.inf)
            yield scores, value[..., here, :]

    highest = torch.full_like(query[..., :1], -math.inf)
    for scores, _ in chunks():
        highest = torch.maximum(highest, scores.amax(-1, keepdim=True))
    highest = torch.where(highest == -math.inf, 0.0, highest)
    total, mixture = 0.0, 0.0
    for scores, v in chunks():
        e = torch.exp(scores - highest)
        total = total + e.sum(-1, keepdim=True)
        mixture = mixture + e @ v
    return (mixture / total).nan_to_num(0.0)


# %% right (fourth): an output and a log of sums, merged as in ring attention
def chunked_attention(query: Tensor, key: Tensor, value: Tensor, chunk_size: int, mask: Tensor | None = None) -> Tensor:
    out, lse = None, None
    masks = mask.split(chunk_size, dim=-1) if mask is not None else None
    for i, (k, v) in enumerate(zip(key.split(chunk_size, dim=-2), value.split(chunk_size, dim=-2))):
        scores = query @ k.transpose(-2, -1) / math.sqrt(query.size(-1))
        if masks is not None:
            scores = scores.masked_fill(~masks[i], float("-inf"))
        block_lse = torch.logsumexp(scores, dim=-1, keepdim=True)
        block_out = torch.softmax(scores, dim=-1).nan_to_num(0.0) @ v
        if out is None:
            out, lse = block_out, block_lse
        else:
            new_lse = torch.logaddexp(lse, block_lse)
            out = (lse - new_lse).exp().nan_to_num(0.0) * out + (block_lse - new_lse).exp().nan_to_num(0.0) * block_out
            lse = new_lse
    return out


# %% right (fourth): by hand, in place, with the lowest number instead of minus infinity
def chunked_attention(query: Tensor, key: Tensor, value: Tensor, chunk_size: int, mask: Tensor | None = None) -> Tensor:
    shape = torch.broadcast_shapes(query.shape[:-2], key.shape[:-2])
    T, S = query.size(-2), key.size(-2)
    low = torch.finfo(query.dtype).min
    m = torch.full((*shape, T, 1), low, dtype=query.dtype)
    l = torch.zeros(*shape, T, 1, dtype=query.dtype)
    acc = torch.zeros(*shape, T, value.size(-1), dtype=query.dtype)
    start = 0
    while start < S:
        stop = min(S, start + chunk_size)
        s = (query @ key[..., start:stop, :].mT).mul_(1 / math.sqrt(query.size(-1)))
        seen = None if mask is None else mask[..., start:stop]
        if seen is not None:
            s = s.masked_fill(~seen, low)
        new_m = torch.maximum(m, s.amax(-1, keepdim=True))
        p = (s - new_m).exp_()
        if seen is not None:
            p = p * seen
        alpha = (m - new_m).exp_()
        l = l * alpha + p.sum(-1, keepdim=True)
        acc = acc * alpha + p @ value[..., start:stop, :]
        m, start = new_m, stop
    return acc / l.clamp(min=torch.finfo(query.dtype).tiny)


# %% wrong (fifth): a query whose keys are all masked gets NaN, because 0 is divided by 0
# true: zero_divided_by_zero
def chunked_attention(query: Tensor, key: Tensor, value: Tensor, chunk_size: int, mask: Tensor | None = None) -> Tensor:
    rows = query.shape[:-1]
    state = (query.new_full(rows, -math.inf), query.new_zeros(rows), query.new_zeros(*rows, value.shape[-1]))
    for start in range(0, key.shape[-2], chunk_size):
        part = slice(start, start + chunk_size)
        scores = query @ key[..., part, :].transpose(-2, -1) / math.sqrt(query.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask[..., part], -math.inf)
        state = online_softmax(*state, scores, value[..., part, :])
    _, total, mixture = state
    return mixture / total.unsqueeze(-1)


# %% wrong (fifth): all scores (..., T, S) are computed before the loop and only then cut in chunks
# true: all_scores_at_once
def chunked_attention(query: Tensor, key: Tensor, value: Tensor, chunk_size: int, mask: Tensor | None = None) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    maximum = torch.full(query.shape[:-1], -math.inf, dtype=query.dtype, device=query.device)
    total = torch.zeros_like(maximum)
    mixture = torch.zeros(*query.shape[:-1], value.shape[-1], dtype=query.dtype, device=query.device)
    for start in range(0, key.shape[-2], chunk_size):
        end = start + chunk_size
        maximum, total, mixture = online_softmax(
            maximum, total, mixture, scores[..., start:end], value[..., start:end, :]
        )
    return torch.where(total[..., None] > 0, mixture / total[..., None], torch.zeros_like(mixture))


# %% right (fifth): tensors cut with split, the queries scaled once, the step written out
def chunked_attention(query: Tensor, key: Tensor, value: Tensor, chunk_size: int, mask: Tensor | None = None) -> Tensor:
    scaled = query * query.shape[-1] ** -0.5
    keys = key.split(chunk_size, dim=-2)
    values = value.split(chunk_size, dim=-2)
    masks = [None] * len(keys) if mask is None else mask.split(chunk_size, dim=-1)

    top = query.new_full((*query.shape[:-1], 1), -math.inf)  # (..., T, 1)
    total = torch.zeros_like(top)
    mixture = query.new_zeros((*query.shape[:-1], value.shape[-1]))
    for k, v, allowed in zip(keys, values, masks, strict=True):
        scores = torch.matmul(scaled, k.mT)
        if allowed is not None:
            scores = scores.masked_fill(allowed.logical_not(), -math.inf)
        higher = torch.maximum(top, scores.amax(dim=-1, keepdim=True))
        reference = torch.where(higher == -math.inf, 0.0, higher)
        shrink = torch.exp(top - reference)
        scores = torch.exp(scores - reference)
        total = total * shrink + scores.sum(dim=-1, keepdim=True)
        mixture = mixture * shrink + scores @ v
        top = higher
    return mixture / torch.where(total == 0, 1.0, total)
