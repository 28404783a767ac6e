# %% right: by split
def chunked_attention(query, key, value, chunk_size, mask=None):
    if mask is None:
        mask = torch.ones(1, key.size(-2), dtype=torch.bool)
    shape = query.shape[:-1]
    state = (torch.full(shape, -torch.inf, dtype=query.dtype), torch.zeros(shape), torch.zeros(*shape, value.size(-1)))
    parts = zip(key.split(chunk_size, -2), value.split(chunk_size, -2), mask.split(chunk_size, -1), strict=True)
    for k, v, allowed in parts:
        scores = torch.where(allowed, query @ k.mT * query.size(-1) ** -0.5, -torch.inf)
        state = online_softmax(*state, scores, v)
    _, total, mixture = state
    return torch.where(total[..., None] > 0, mixture / total[..., None], 0.0)


# %% right: without a maximum object
def chunked_attention(query, key, value, chunk_size, mask=None):
    """Logarithms of sums instead of a maximum and a total."""
    output, logs = None, None
    for start in range(0, key.shape[-2], chunk_size):
        stop = min(start + chunk_size, key.shape[-2])
        scores = torch.einsum("...td,...sd->...ts", query, key[..., start:stop, :]) / key.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask[..., start:stop].logical_not(), float("-inf"))
        log = torch.logsumexp(scores, dim=-1)
        own = torch.softmax(scores, dim=-1).nan_to_num() @ value[..., start:stop, :]
        if output is None:
            output, logs = own, log
            continue
        both = torch.logaddexp(logs, log)
        both_safe = both.masked_fill(both == -torch.inf, 0.0)
        output = output * torch.exp(logs - both_safe)[..., None] + own * torch.exp(log - both_safe)[..., None]
        logs = both
    return output


# %% right: queries in chunks too
def chunked_attention(query, key, value, chunk_size, mask=None):
    def rows(q, allowed):
        m, t, x = q.new_full(q.shape[:-1], -math.inf), q.new_zeros(q.shape[:-1]), 0.0
        x = q.new_zeros(*q.shape[:-1], value.size(-1))
        for i in range(0, key.size(-2), chunk_size):
            scores = q @ key[..., i : i + chunk_size, :].transpose(-1, -2) / math.sqrt(q.size(-1))
            if allowed is not None:
                scores = scores.masked_fill(~allowed[..., i : i + chunk_size], -math.inf)
            m, t, x = online_softmax(m, t, x, scores, value[..., i : i + chunk_size, :])
        return x / torch.where(t == 0, 1.0, t).unsqueeze(-1)

    outputs = []
    for i in range(0, query.size(-2), 8):
        per_query = mask is not None and mask.size(-2) > 1
        outputs.append(rows(query[..., i : i + 8, :], mask[..., i : i + 8, :] if per_query else mask))
    return torch.cat(outputs, dim=-2)


# %% right: padded to a multiple
def chunked_attention(query, key, value, chunk_size, mask=None):
    length = key.size(-2)
    missing = -length % chunk_size
    real = torch.ones(1, length, dtype=torch.bool) if mask is None else mask
    key, value = F.pad(key, (0, 0, 0, missing)), F.pad(value, (0, 0, 0, missing))
    real = F.pad(real, (0, missing), value=False)
    maximum = torch.full_like(query[..., 0], -math.inf)
    total, mixture = torch.zeros_like(maximum), torch.zeros_like(query[..., :1]) * value[..., :1, :]
    for i in range(key.size(-2) // chunk_size):
        here = slice(i * chunk_size, (i + 1) * chunk_size)
        scores = (query / math.sqrt(query.size(-1))) @ key[..., here, :].mT
        scores = scores.masked_fill(~real[..., here], -math.inf)
        maximum, total, mixture = online_softmax(maximum, total, mixture, scores, value[..., here, :])
    return mixture / total.clamp(min=torch.finfo(total.dtype).tiny)[..., None]


# %% wrong: all scores first
# defines: all_scores_at_once
def chunked_attention(query: Tensor, key: Tensor, value: Tensor, chunk_size: int, mask: Tensor | None = None) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))  # (..., T, S)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    lead = scores.shape[:-1]
    state = query.new_full(lead, -math.inf), query.new_zeros(lead), query.new_zeros(*lead, value.size(-1))
    for part, rows in zip(scores.split(chunk_size, dim=-1), value.split(chunk_size, dim=-2), strict=True):
        state = online_softmax(*state, part, rows)
    return state[2] / state[1].masked_fill(state[1] == 0, 1.0).unsqueeze(-1)


# %% wrong: softmax in each chunk
# defines: softmax_in_each_chunk
def chunked_attention(query: Tensor, key: Tensor, value: Tensor, chunk_size: int, mask: Tensor | None = None) -> Tensor:
    output = query.new_zeros(*query.shape[:-1], value.size(-1))
    for start in range(0, key.size(-2), chunk_size):
        chunk = slice(start, start + chunk_size)
        scores = query @ key[..., chunk, :].transpose(-2, -1) / math.sqrt(query.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask[..., chunk], -math.inf)
        output = output + torch.softmax(scores, dim=-1).nan_to_num() @ value[..., chunk, :]
    return output


# %% wrong: mean of the chunks
# defines: mean_of_the_chunks
def chunked_attention(query: Tensor, key: Tensor, value: Tensor, chunk_size: int, mask: Tensor | None = None) -> Tensor:
    outputs = []
    for start in range(0, key.size(-2), chunk_size):
        chunk = slice(start, start + chunk_size)
        scores = query @ key[..., chunk, :].transpose(-2, -1) / math.sqrt(query.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask[..., chunk], -math.inf)
        outputs.append(torch.softmax(scores, dim=-1).nan_to_num() @ value[..., chunk, :])
    return torch.stack(outputs).mean(dim=0)


# %% wrong: pytorchs own
# defines: finished_function
def chunked_attention(query: Tensor, key: Tensor, value: Tensor, chunk_size: int, mask: Tensor | None = None) -> Tensor:
    outputs = []
    for t in range(query.size(-2)):
        seen = mask if mask is None or mask.size(-2) == 1 else mask[..., t : t + 1, :]
        outputs.append(F.scaled_dot_product_attention(query[..., t : t + 1, :], key, value, seen).nan_to_num())
    return torch.cat(outputs, dim=-2)


# %% wrong: as many chunks as their size
# defines: as_many_chunks_as_their_size
def chunked_attention(query: Tensor, key: Tensor, value: Tensor, chunk_size: int, mask: Tensor | None = None) -> Tensor:
    lead = query.shape[:-1]
    state = query.new_full(lead, -math.inf), query.new_zeros(lead), query.new_zeros(*lead, value.size(-1))
    keys, values = key.chunk(chunk_size, dim=-2), value.chunk(chunk_size, dim=-2)
    masks = [None] * len(keys) if mask is None else mask.chunk(chunk_size, dim=-1)
    for k, v, seen in zip(keys, values, masks, strict=True):
        scores = query @ k.transpose(-2, -1) / math.sqrt(query.size(-1))
        if seen is not None:
            scores = scores.masked_fill(~seen, -math.inf)
        state = online_softmax(*state, scores, v)
    return state[2] / state[1].masked_fill(state[1] == 0, 1.0).unsqueeze(-1)


# %% wrong: pytorchs own at once
# true: finished_function
def chunked_attention(query, key, value, chunk_size, mask=None):
    return torch.nan_to_num(torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask))


# %% trivial: zeros
def chunked_attention(query, key, value, chunk_size, mask=None):
    return torch.zeros(*query.shape[:-1], value.size(-1), dtype=query.dtype)


# %% trivial: mean value
def chunked_attention(query, key, value, chunk_size, mask=None):
    return value.mean(dim=-2, keepdim=True).expand(*query.shape[:-1], value.size(-1))


# %% trivial: noise
def chunked_attention(query, key, value, chunk_size, mask=None):
    return torch.randn(*query.shape[:-1], value.size(-1), dtype=query.dtype)
