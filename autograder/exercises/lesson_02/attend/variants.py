# %% right: by einsum
def attend(scores, values, mask=None):
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.nan_to_num(scores.softmax(-1))
    return torch.einsum("bs,bsd->bd", weights, values), weights


# %% right: multiplied and summed
def attend(scores, values, mask=None):
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    weights = F.softmax(torch.where(mask, scores, torch.full_like(scores, -1e9)), dim=1) * mask
    return (weights[..., None] * values).sum(dim=1), weights


# %% right: by hand with exponentials
def attend(scores, values, mask=None):
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    powers = torch.exp(scores - scores.max(dim=1, keepdim=True).values)
    weights = powers / powers.sum(dim=1, keepdim=True)
    if mask is not None:
        weights = weights * mask
    return torch.bmm(weights[:, None, :], values)[:, 0], weights


# %% right: through log sum exp
def attend(scores, values, mask=None):
    if mask is not None:
        scores = scores.clone()
        scores[~mask] = -1e9
    weights = (scores - scores.logsumexp(dim=-1, keepdim=True)).exp()
    if mask is not None:
        weights = torch.where(mask.any(dim=-1, keepdim=True), weights, torch.zeros_like(weights))
    return (values.transpose(1, 2) @ weights.unsqueeze(-1)).squeeze(-1), weights


# %% right: sentence by sentence
def attend(scores, values, mask=None):
    contexts, rows = [], []
    for b in range(len(scores)):
        row = torch.zeros_like(scores[b])
        seen = torch.arange(scores.shape[1]) if mask is None else mask[b].nonzero().flatten()
        if len(seen):
            row = row.index_copy(0, seen, torch.softmax(scores[b, seen], dim=0))
        rows.append(row)
        contexts.append(row @ values[b])
    return torch.stack(contexts), torch.stack(rows)


# %% right: one score at a time
def attend(scores, values, mask=None):
    seen = torch.ones(scores.shape) if mask is None else mask
    seen = seen.to(scores.dtype)
    shifted = scores - (scores - 1e9 * (1 - seen)).amax(dim=-1, keepdim=True)
    powers = torch.exp(torch.where(seen > 0, shifted, torch.zeros_like(shifted))) * seen
    weights = powers / powers.sum(dim=-1, keepdim=True).clamp(min=1e-12)
    context = torch.zeros(values.size(0), values.size(2), dtype=values.dtype)
    for i in range(values.size(1)):
        context = context + weights[:, i : i + 1] * values[:, i]
    return context, weights


# %% wrong: einsum of the wrong letter again
# true: summed_over_features
def attend(scores, values, mask=None):
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights * mask
    return torch.einsum("bs,bsv->bs", weights, values), weights


# %% wrong: gates
# true: sigmoid, mask_ignored
def attend(scores, values, mask=None):
    weights = 1 / (1 + torch.exp(-scores))
    return (weights.unsqueeze(1) @ values).squeeze(1), weights


# %% wrong: gathered
# true: best_value
def attend(scores, values, mask=None):
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights * mask
    best = weights.argmax(-1).view(-1, 1, 1).expand(-1, 1, values.size(-1))
    return values.gather(1, best)[:, 0], weights


# %% trivial: zeros
def attend(scores, values, mask=None):
    return torch.zeros_like(values[:, 0]), torch.zeros_like(scores)


# %% trivial: the input itself
def attend(scores, values, mask=None):
    return values, scores


# %% trivial: uniform
def attend(scores, values, mask=None):
    return values.mean(dim=1), torch.full_like(scores, 1 / scores.size(-1))


# %% trivial: noise
def attend(scores, values, mask=None):
    weights = torch.rand(scores.shape, dtype=scores.dtype)
    return (weights.unsqueeze(1) @ values).squeeze(1), weights
