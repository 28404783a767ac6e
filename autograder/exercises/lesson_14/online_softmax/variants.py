# %% right: by logsumexp
def online_softmax(maximum, total, mixture, scores, value):
    larger = torch.where(scores.amax(-1) > maximum, scores.amax(-1), maximum)
    safe = torch.where(torch.isinf(larger), torch.zeros_like(larger), larger)
    keep = (maximum - safe).exp()
    sums = (torch.logsumexp(scores, dim=-1) - safe).exp()
    powers = (scores - safe[..., None]).exp()
    return larger, keep * total + sums, keep[..., None] * mixture + torch.einsum("...tc,...cd->...td", powers, value)


# %% right: key after key
def online_softmax(maximum, total, mixture, scores, value):
    for c in range(scores.size(-1)):
        score, row = scores[..., c], value[..., c, :].unsqueeze(-2)
        new = torch.maximum(maximum, score)
        none = new == -math.inf
        shrink = torch.where(none, 0.0, torch.exp(maximum - new.masked_fill(none, 0)))
        weight = torch.where(none, 0.0, torch.exp(score - new.masked_fill(none, 0)))
        total = total * shrink + weight
        mixture = mixture * shrink[..., None] + weight[..., None] * row
        maximum = new
    return maximum, total, mixture


# %% right: as one more column
def online_softmax(maximum, total, mixture, scores, value):
    wide = torch.cat([maximum.unsqueeze(-1), scores], dim=-1)  # the old maximum is the score of all that came before
    new = wide.max(dim=-1).values
    powers = torch.nan_to_num(torch.exp(wide - new.unsqueeze(-1)), nan=0.0)
    old, fresh = powers[..., :1], powers[..., 1:]
    return new, (total.unsqueeze(-1) * old).squeeze(-1) + fresh.sum(-1), mixture * old + fresh @ value


# %% right: two partial results merged
def online_softmax(maximum, total, mixture, scores, value):
    top = scores.amax(dim=-1)
    own = torch.exp(scores - torch.where(top == -torch.inf, 0.0, top)[..., None])
    new = torch.max(maximum, top)
    reference = torch.where(new == -torch.inf, 0.0, new)
    a, b = torch.exp(maximum - reference), torch.exp(top - reference)
    return new, a * total + b * own.sum(-1), a[..., None] * mixture + b[..., None] * (own @ value)


# %% wrong: a mean in every step
# true: divided_already
def online_softmax(maximum, total, mixture, scores, value):
    new = torch.max(maximum, scores.max(dim=-1).values)
    safe = torch.where(new == -math.inf, 0.0, new)
    shrink, powers = (maximum - safe).exp(), (scores - safe[..., None]).exp()
    total = shrink * total + powers.sum(-1)
    mixture = shrink[..., None] * mixture + powers @ value
    return new, total, torch.where(total[..., None] == 0, 0.0, mixture / total[..., None])


# %% wrong: augmented
# true: written_into_what_was_carried
def online_softmax(maximum, total, mixture, scores, value):
    new = torch.max(maximum, scores.max(dim=-1).values)
    safe = torch.where(new == -math.inf, 0.0, new)
    shrink, powers = (maximum - safe).exp(), (scores - safe[..., None]).exp()
    total *= shrink
    total += powers.sum(-1)
    mixture *= shrink[..., None]
    mixture += powers @ value
    return new, total, mixture


# %% trivial: nothing taken up
def online_softmax(maximum, total, mixture, scores, value):
    return maximum, total, mixture


# %% trivial: ones
def online_softmax(maximum, total, mixture, scores, value):
    return torch.ones_like(maximum), torch.ones_like(total), torch.ones_like(mixture)


# %% trivial: noise
def online_softmax(maximum, total, mixture, scores, value):
    return torch.randn_like(maximum), torch.rand_like(total), torch.randn_like(mixture)
