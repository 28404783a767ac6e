# %% right: with a threshold
def sampling_distribution(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature <= 0:
        raise ValueError("the temperature must be positive")
    scores = logits / temperature
    if top_k is not None:
        k = min(top_k, scores.shape[-1])
        smallest = torch.topk(scores, k, dim=-1).values[..., -1, None]
        scores = torch.where(scores < smallest, float("-inf"), scores)
    p = scores.softmax(-1)
    if top_p < 1:
        s, _ = torch.sort(p, dim=-1, descending=True)
        enough = torch.cumsum(s, dim=-1) >= top_p
        last = s.gather(-1, enough.int().argmax(dim=-1, keepdim=True))
        p = torch.where(p < last, 0.0, p)
    return p / p.sum(-1, keepdim=True)


# %% right: row by row
def sampling_distribution(logits, temperature=1.0, top_k=None, top_p=1.0):
    if not temperature > 0:
        raise ValueError(temperature)
    rows = []
    for row in logits.reshape(-1, logits.shape[-1]):
        weights = torch.exp((row - row.max()) / temperature).tolist()
        ranking = sorted(range(len(weights)), key=lambda i: -weights[i])[:top_k]
        total = sum(weights[i] for i in ranking)
        kept, running = {}, 0.0
        for i in ranking:
            kept[i] = weights[i] / total
            running += kept[i]
            if top_p < 1 and running >= top_p:
                break
        rows.append([kept.get(i, 0.0) / sum(kept.values()) for i in range(len(weights))])
    return torch.tensor(rows, dtype=logits.dtype).reshape(logits.shape)


# %% right: by masking logits
def sampling_distribution(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature <= 0:
        raise ValueError
    logits = logits / temperature
    if top_k is not None and top_k < logits.size(-1):
        keep = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, logits.topk(top_k, -1).indices, True)
        logits = logits.masked_fill(~keep, -torch.inf)
    if top_p < 1.0:
        ordered, idx = torch.sort(logits, dim=-1, descending=True)
        remove = torch.softmax(ordered, -1).cumsum(-1) >= top_p
        remove = torch.cat([torch.zeros_like(remove[..., :1]), remove[..., :-1]], dim=-1)
        logits = logits.masked_fill(torch.zeros_like(remove).scatter(-1, idx, remove), -torch.inf)
    return torch.softmax(logits, dim=-1)


# %% right: by ranks
def sampling_distribution(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature <= 0:
        raise ValueError("no")
    p = torch.softmax(logits / temperature, dim=-1)
    rank = p.argsort(dim=-1, descending=True).argsort(dim=-1)
    if top_k is not None:
        p = p * (rank < top_k)
        p = p / p.sum(dim=-1, keepdim=True)
    if top_p < 1:
        more = (p.unsqueeze(-2) > p.unsqueeze(-1)).to(p.dtype)
        before = (more * p.unsqueeze(-2)).sum(dim=-1)
        p = torch.where(before < top_p, p, 0.0)
    return p / p.sum(dim=-1, keepdim=True)


# %% wrong: at least that probable
# defines: threshold_for_a_sum
def sampling_distribution(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature <= 0:
        raise ValueError("above 0")
    scores = logits / temperature
    if top_k is not None and top_k < scores.size(-1):
        lowest = scores.topk(top_k, dim=-1).values[..., -1:]
        scores = scores.masked_fill(scores < lowest, -torch.inf)
    probabilities = torch.softmax(scores, dim=-1)
    if top_p < 1:
        likely = probabilities >= torch.minimum(torch.tensor(top_p), probabilities.amax(dim=-1, keepdim=True))
        probabilities = probabilities * likely
    return probabilities / probabilities.sum(dim=-1, keepdim=True)


# %% wrong: top p first
# defines: top_p_before_top_k
def sampling_distribution(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature <= 0:
        raise ValueError("above 0")
    ordered, order = torch.softmax(logits / temperature, dim=-1).sort(dim=-1, descending=True)
    kept = ordered.cumsum(dim=-1) - ordered < top_p
    kept[..., 0] = True
    if top_k is not None:
        kept[..., top_k:] = False
    ordered = ordered * kept
    return torch.zeros_like(ordered).scatter(-1, order, ordered / ordered.sum(dim=-1, keepdim=True))


# %% wrong: masked by a product
# true: zero_for_minus_infinity
def sampling_distribution(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature <= 0:
        raise ValueError
    scores = logits / temperature
    if top_k is not None and top_k < logits.size(-1):
        scores = scores * (scores >= scores.topk(top_k).values[..., -1:])
        # what is dropped comes last in the sorted row, whatever its logit
    rank = (logits / temperature).argsort(descending=True)
    s = torch.softmax(scores, dim=-1).gather(-1, rank)
    if top_p < 1:
        s = s.masked_fill(s.cumsum(-1) - s >= top_p, 0)
    s = s / s.sum(-1, keepdim=True)
    return torch.zeros_like(s).scatter(-1, rank, s)


# %% trivial: itself
def sampling_distribution(logits, temperature=1.0, top_k=None, top_p=1.0):
    return logits


# %% trivial: zeros
def sampling_distribution(logits, temperature=1.0, top_k=None, top_p=1.0):
    return torch.zeros_like(logits)


# %% trivial: noise
def sampling_distribution(logits, temperature=1.0, top_k=None, top_p=1.0):
    return torch.rand_like(logits).softmax(dim=-1)
