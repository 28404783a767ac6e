# %% wrong (fourth): top p first, then top k
# true: top_p_before_top_k
def sampling_distribution(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float = 1.0
) -> Tensor:
    if temperature <= 0:
        raise ValueError("temperature must be above 0")

    logits = logits / temperature
    probs = torch.softmax(logits, dim=-1)
    sorted_probs, order = probs.sort(dim=-1, descending=True)
    before = sorted_probs.cumsum(dim=-1) - sorted_probs
    keep = torch.zeros_like(probs, dtype=torch.bool).scatter(-1, order, before < top_p)
    probs = probs * keep
    if top_k is not None:
        kth = probs.topk(min(top_k, probs.size(-1)), dim=-1).values[..., -1:]
        probs = torch.where(probs >= kth, probs, 0.0)
    return probs / probs.sum(dim=-1, keepdim=True)


# %% wrong (fourth): the token that crosses p is cut off (the first is kept by hand)
# true: crossing_token_dropped_but_the_first
def sampling_distribution(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float = 1.0
) -> Tensor:
    if temperature <= 0:
        raise ValueError("temperature must be above 0")

    logits = logits / temperature
    if top_k is not None:
        v, _ = torch.topk(logits, min(top_k, logits.size(-1)))
        logits = logits.masked_fill(logits < v[..., [-1]], -float("inf"))
    if top_p < 1.0:
        sorted_logits, sorted_indices = torch.sort(logits, descending=True)
        cumulative_probs = torch.cumsum(torch.softmax(sorted_logits, dim=-1), dim=-1)
        remove = cumulative_probs > top_p
        remove[..., 0] = False
        remove = torch.zeros_like(remove).scatter(-1, sorted_indices, remove)
        logits = logits.masked_fill(remove, -float("inf"))
    return torch.softmax(logits, dim=-1)


# %% wrong (fourth): nothing is kept where the most probable token alone is above p
# true: crossing_token_dropped
def sampling_distribution(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float = 1.0
) -> Tensor:
    if temperature <= 0:
        raise ValueError("temperature must be above 0")

    probs = torch.softmax(logits / temperature, dim=-1)
    if top_k is not None and top_k < probs.size(-1):
        threshold = probs.topk(top_k).values[..., -1].unsqueeze(-1)
        probs = probs.masked_fill(probs < threshold, 0)
        probs = probs / probs.sum(-1, keepdim=True)
    ranked, index = torch.sort(probs, dim=-1, descending=True)
    ranked = torch.where(ranked.cumsum(-1) <= top_p + 1e-6, ranked, 0.0)
    probs = torch.zeros_like(probs).scatter(-1, index, ranked)
    return probs / probs.sum(-1, keepdim=True)


# %% wrong (fourth): after top k the probabilities are not renormalised before they are compared with p
# true: top_p_before_top_k
def sampling_distribution(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float = 1.0
) -> Tensor:
    if temperature <= 0:
        raise ValueError("temperature must be above 0")

    probs = (logits / temperature).softmax(-1)
    if top_k is not None:
        k = min(top_k, probs.size(-1))
        kept = torch.zeros_like(probs).scatter(-1, probs.topk(k).indices, 1.0)
        probs = probs * kept
    p_sorted, idx = probs.sort(-1, descending=True)
    before = p_sorted.cumsum(-1) - p_sorted
    p_sorted = p_sorted * (before < top_p)
    probs = torch.zeros_like(probs).scatter(-1, idx, p_sorted)
    return probs / probs.sum(-1, keepdim=True)


# %% wrong (fourth): what is left does not sum to 1
# true: not_renormalised
def sampling_distribution(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float = 1.0
) -> Tensor:
    if temperature <= 0:
        raise ValueError("temperature must be above 0")

    logits = logits / temperature
    if top_k is not None:
        kth_best = torch.topk(logits, min(top_k, logits.shape[-1]), dim=-1).values[..., -1:]
        logits = torch.where(logits < kth_best, torch.full_like(logits, -torch.inf), logits)
    probs = torch.softmax(logits, dim=-1)
    srt, idx = torch.sort(probs, descending=True, dim=-1)
    cum = torch.cumsum(srt, dim=-1)
    srt[cum - srt >= top_p] = 0
    return torch.zeros_like(probs).scatter(-1, idx, srt)


# %% wrong (fourth): multiplied by the temperature
# true: temperature_multiplies
def sampling_distribution(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float = 1.0
) -> Tensor:
    if temperature <= 0:
        raise ValueError("temperature must be above 0")

    logits = logits * temperature
    if top_k is not None:
        best = logits.topk(min(top_k, logits.size(-1)), dim=-1)
        logits = torch.full_like(logits, float("-inf")).scatter(-1, best.indices, best.values)
    p = logits.softmax(dim=-1)
    s, i = p.sort(dim=-1, descending=True)
    s = s.masked_fill(s.cumsum(-1) - s >= top_p, 0.0)
    p = torch.zeros_like(p).scatter(-1, i, s)
    return p / p.sum(dim=-1, keepdim=True)


# %% wrong (fourth): the probabilities are divided by the temperature, not the logits
# true: temperature_ignored
def sampling_distribution(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float = 1.0
) -> Tensor:
    if temperature <= 0:
        raise ValueError("temperature must be above 0")

    probs = torch.softmax(logits, dim=-1) / temperature
    probs = probs / probs.sum(-1, keepdim=True)
    if top_k is not None:
        k = min(top_k, probs.size(-1))
        values, indices = torch.topk(probs, k)
        probs = torch.zeros_like(probs).scatter_(-1, indices, values)
        probs = probs / probs.sum(-1, keepdim=True)
    values, indices = torch.sort(probs, descending=True)
    values[values.cumsum(-1) - values >= top_p] = 0.0
    probs = torch.zeros_like(probs).scatter_(-1, indices, values)
    return probs / probs.sum(-1, keepdim=True)


# %% wrong (fourth): a k above V is an error of topk
def sampling_distribution(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float = 1.0
) -> Tensor:
    if temperature <= 0:
        raise ValueError("temperature must be above 0")

    logits = logits / temperature
    if top_k is not None:
        values, _ = torch.topk(logits, top_k, dim=-1)
        logits = logits.masked_fill(logits < values[..., -1:], float("-inf"))
    probs = torch.softmax(logits, dim=-1)
    sorted_probs, indices = torch.sort(probs, dim=-1, descending=True)
    keep = (torch.cumsum(sorted_probs, dim=-1) - sorted_probs) < top_p
    sorted_probs = sorted_probs * keep
    probs = torch.zeros_like(probs).scatter(-1, indices, sorted_probs)
    return probs / probs.sum(dim=-1, keepdim=True)


# %% wrong (fourth): a temperature of 0 takes the most probable one, and a negative one is not refused
# true: no_temperature_refused
def sampling_distribution(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float = 1.0
) -> Tensor:
    if temperature == 0:
        return torch.nn.functional.one_hot(logits.argmax(-1), logits.size(-1)).to(logits.dtype)
    logits = logits / temperature
    if top_k is not None:
        floor = logits.topk(min(top_k, logits.size(-1)), dim=-1).values[..., -1:]
        logits = logits.masked_fill(logits < floor, float("-inf"))
    probs = logits.softmax(dim=-1)
    ordered, where = probs.sort(dim=-1, descending=True)
    ordered = ordered.masked_fill(ordered.cumsum(dim=-1) - ordered >= top_p, 0.0)
    probs = torch.zeros_like(probs).scatter(-1, where, ordered)
    return probs / probs.sum(dim=-1, keepdim=True)


# %% wrong (fourth): the mask of the sorted tokens is laid over the unsorted ones
def sampling_distribution(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float = 1.0
) -> Tensor:
    if temperature <= 0:
        raise ValueError("temperature must be above 0")

    logits = logits / temperature
    if top_k is not None:
        kth = torch.topk(logits, min(top_k, logits.size(-1)))[0][..., -1, None]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    probs = torch.softmax(logits, dim=-1)
    sorted_probs, _ = torch.sort(probs, descending=True, dim=-1)
    cumulative = torch.cumsum(sorted_probs, dim=-1)
    remove = cumulative - sorted_probs >= top_p
    probs = probs.masked_fill(remove, 0.0)
    return probs / probs.sum(dim=-1, keepdim=True)


# %% wrong (fourth): the kth most probable token goes, too
# true: one_too_few_kept
def sampling_distribution(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float = 1.0
) -> Tensor:
    if temperature <= 0:
        raise ValueError("temperature must be above 0")

    logits = logits / temperature
    if top_k is not None and top_k < logits.size(-1):
        kth = logits.sort(dim=-1, descending=True).values[..., top_k - 1 : top_k]
        logits = logits.masked_fill(logits <= kth, float("-inf"))
    probs = logits.softmax(dim=-1)
    s, i = probs.sort(dim=-1, descending=True)
    s = torch.where(s.cumsum(-1) - s < top_p, s, 0.0)
    probs = torch.zeros_like(probs).scatter(-1, i, s)
    return probs / probs.sum(dim=-1, keepdim=True)


# %% wrong (fourth): the filtered logits are returned, as Hugging Face's warpers do
def sampling_distribution(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float = 1.0
) -> Tensor:
    if temperature <= 0:
        raise ValueError("temperature must be above 0")

    logits = logits / temperature
    if top_k is not None:
        top_k = min(top_k, logits.size(-1))
        indices_to_remove = logits < torch.topk(logits, top_k)[0][..., -1, None]
        logits = logits.masked_fill(indices_to_remove, float("-inf"))
    sorted_logits, sorted_indices = torch.sort(logits, descending=False)
    cumulative_probs = sorted_logits.softmax(dim=-1).cumsum(dim=-1)
    sorted_indices_to_remove = cumulative_probs <= (1 - top_p)
    sorted_indices_to_remove[..., -1:] = 0
    indices_to_remove = sorted_indices_to_remove.scatter(-1, sorted_indices, sorted_indices_to_remove)
    return logits.masked_fill(indices_to_remove, float("-inf"))


# %% wrong (fourth): top p is measured on the tempered logits, but the probabilities are those without a temperature
# true: temperature_for_the_choice_only
def sampling_distribution(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float = 1.0
) -> Tensor:
    if temperature <= 0:
        raise ValueError("temperature must be above 0")

    p = torch.softmax(logits / temperature, dim=-1)
    if top_k is not None:
        k = min(top_k, p.size(-1))
        p = torch.zeros_like(p).scatter(-1, p.topk(k).indices, p.topk(k).values)
        p = p / p.sum(-1, keepdim=True)
    s, i = p.sort(-1, descending=True)
    keep = torch.zeros_like(p, dtype=torch.bool).scatter(-1, i, s.cumsum(-1) - s < top_p) & (p > 0)
    q = torch.softmax(logits, dim=-1) * keep
    return q / q.sum(-1, keepdim=True)


# %% right (fourth): Hugging Face's: descending, removed above p, shifted to the right by one
def sampling_distribution(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float = 1.0
) -> Tensor:
    if temperature <= 0:
        raise ValueError("temperature must be above 0")

    logits = logits / temperature
    if top_k is not None:
        k = min(max(top_k, 1), logits.size(-1))
        logits = logits.masked_fill(logits < torch.topk(logits, k)[0][..., -1, None], float("-inf"))
    if top_p < 1.0:
        sorted_logits, sorted_indices = torch.sort(logits, descending=True)
        cumulative_probs = torch.cumsum(torch.softmax(sorted_logits, dim=-1), dim=-1)
        sorted_indices_to_remove = cumulative_probs > top_p
        sorted_indices_to_remove[..., 1:] = sorted_indices_to_remove[..., :-1].clone()
        sorted_indices_to_remove[..., 0] = False
        indices_to_remove = sorted_indices_to_remove.scatter(-1, sorted_indices, sorted_indices_to_remove)
        logits = logits.masked_fill(indices_to_remove, float("-inf"))
    return torch.softmax(logits, dim=-1)


# %% right (fourth): each token against each: how many are better, and what those sum to; nothing is sorted
def sampling_distribution(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float = 1.0
) -> Tensor:
    if temperature <= 0:
        raise ValueError("temperature must be above 0")

    p = torch.softmax(logits / temperature, dim=-1)
    better = logits.unsqueeze(-2) > logits.unsqueeze(-1)  # (..., V, V): column is better than row
    if top_k is not None:
        p = p * (better.sum(dim=-1) < top_k)
        p = p / p.sum(dim=-1, keepdim=True)
    above = (better * p.unsqueeze(-2)).sum(dim=-1)
    p = torch.where(above < top_p, p, torch.zeros_like(p))
    return p / p.sum(dim=-1, keepdim=True)


# %% right (fourth): row by row with Python's lists
def sampling_distribution(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float = 1.0
) -> Tensor:
    if temperature <= 0:
        raise ValueError("temperature must be above 0")

    rows = []
    for row in logits.reshape(-1, logits.size(-1)):
        weights = ((row - row.max()) / temperature).exp()
        ranking = sorted(range(len(row)), key=lambda v: -row[v].item())
        ranking = ranking[:top_k]
        mass = sum(weights[v] for v in ranking)
        kept, so_far = [], 0.0
        for v in ranking:
            if kept and so_far >= top_p:
                break
            kept.append(v)
            so_far += (weights[v] / mass).item()
        new = torch.zeros_like(row)
        new[kept] = weights[kept] / weights[kept].sum()
        rows.append(new)
    return torch.stack(rows).reshape(logits.shape)


# %% right (fourth): all in sorted order, and back by the inverse of the order
def sampling_distribution(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float = 1.0
) -> Tensor:
    if temperature <= 0:
        raise ValueError("temperature must be above 0")

    ordered, order = torch.sort(logits / temperature, dim=-1, descending=True)
    if top_k is not None:
        ordered[..., top_k:] = float("-inf")
    probs = torch.softmax(ordered, dim=-1)
    taken = torch.cumsum(probs, dim=-1).roll(1, dims=-1)
    taken[..., 0] = 0.0
    probs = probs.masked_fill(taken >= top_p, 0.0)
    probs = probs / probs.sum(dim=-1, keepdim=True)
    return probs.gather(-1, order.argsort(dim=-1))


# %% wrong (fifth): top p adds up the probabilities before top k, not the renormalised ones
# true: top_p_before_top_k
def sampling_distribution(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float = 1.0
) -> Tensor:
    if temperature <= 0:
        raise ValueError("temperature must be above 0")
    probs = torch.softmax(logits / temperature, dim=-1)
    ordered, order = probs.sort(dim=-1, descending=True)
    keep = torch.ones_like(ordered, dtype=torch.bool)
    if top_k is not None:
        keep[..., top_k:] = False
    if top_p < 1:
        before = ordered.cumsum(dim=-1) - ordered
        keep &= before < top_p
    ordered = ordered * keep
    ordered = ordered / ordered.sum(dim=-1, keepdim=True)
    return torch.zeros_like(probs).scatter(-1, order, ordered)


# %% wrong (fifth): with top_p = 1, tokens are dropped whose predecessors sum to 1 by rounding
def sampling_distribution(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float = 1.0
) -> Tensor:
    if temperature <= 0:
        raise ValueError("temperature must be above 0")
    logits = logits / temperature
    if top_k is not None:
        kth = logits.topk(min(top_k, logits.shape[-1]), dim=-1).values[..., -1:]
        logits = logits.masked_fill(logits < kth, -float("inf"))
    ordered, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
    before = ordered.cumsum(dim=-1) - ordered
    drop = torch.zeros_like(before, dtype=torch.bool).scatter(-1, order, before >= top_p)
    return logits.masked_fill(drop, -float("inf")).softmax(dim=-1)


# %% right (fifth): everything in sorted order, put back with the inverse permutation
def sampling_distribution(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float = 1.0
) -> Tensor:
    if not temperature > 0:
        raise ValueError(f"the temperature has to be above 0, but it is {temperature}")
    ranked, order = torch.sort(logits / temperature, dim=-1, descending=True)
    place = torch.arange(logits.shape[-1], device=logits.device)
    if top_k is not None:
        ranked = torch.where(place < top_k, ranked, float("-inf"))
    if top_p < 1:
        probabilities = torch.softmax(ranked, dim=-1)
        before = torch.cat([torch.zeros_like(ranked[..., :1]), probabilities.cumsum(dim=-1)[..., :-1]], dim=-1)
        ranked = torch.where(before < top_p, ranked, float("-inf"))
    return torch.softmax(ranked, dim=-1).gather(-1, order.argsort(dim=-1))
