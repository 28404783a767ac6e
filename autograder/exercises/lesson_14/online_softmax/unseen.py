# %% wrong (fourth): the old sums are not shrunk when the maximum grows
# true: nothing_shrunk
def online_softmax(
    maximum: Tensor, total: Tensor, mixture: Tensor, scores: Tensor, value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    new_max = torch.maximum(maximum, scores.amax(dim=-1))
    safe = torch.where(torch.isinf(new_max), torch.zeros_like(new_max), new_max)
    p = torch.exp(scores - safe.unsqueeze(-1))
    return new_max, total + p.sum(dim=-1), mixture + p @ value


# %% wrong (fourth): the factor is upside down: old sums grow when the maximum does
# true: grown_instead_of_shrunk
def online_softmax(
    maximum: Tensor, total: Tensor, mixture: Tensor, scores: Tensor, value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    new_max = torch.maximum(maximum, scores.max(dim=-1).values)
    shift = torch.where(new_max == -math.inf, 0.0, new_max)
    p = torch.exp(scores - shift[..., None])
    scale = torch.exp(shift - maximum)
    scale = torch.where(torch.isinf(maximum), torch.zeros_like(scale), scale)
    total = total * scale + p.sum(-1)
    mixture = mixture * scale[..., None] + p @ value
    return new_max, total, mixture


# %% wrong (fourth): minus infinity from minus infinity: nan where nothing has been seen
# true: nan_where_nothing_is_seen
def online_softmax(
    maximum: Tensor, total: Tensor, mixture: Tensor, scores: Tensor, value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    new_maximum = torch.maximum(maximum, scores.max(dim=-1)[0])
    correction = torch.exp(maximum - new_maximum)
    p = torch.exp(scores - new_maximum.unsqueeze(-1))
    new_total = correction * total + p.sum(dim=-1)
    new_mixture = correction.unsqueeze(-1) * mixture + torch.matmul(p, value)
    return new_maximum, new_total, new_mixture


# %% wrong (fourth): the total is shrunk and the mixture is not
# true: mixture_not_shrunk
def online_softmax(
    maximum: Tensor, total: Tensor, mixture: Tensor, scores: Tensor, value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    new = torch.maximum(maximum, scores.amax(-1))
    m = new.masked_fill(new == float("-inf"), 0)
    shrink = torch.exp(maximum - m)
    e = torch.exp(scores - m.unsqueeze(-1))
    total = shrink * total + e.sum(-1)
    mixture = mixture + torch.einsum("...tc,...cv->...tv", e, value)
    return new, total, mixture


# %% wrong (fourth): forgets the maximum so far: the chunk's own is the new one
# true: maximum_of_the_chunk
def online_softmax(
    maximum: Tensor, total: Tensor, mixture: Tensor, scores: Tensor, value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    chunk_max = scores.max(dim=-1).values
    m = torch.nan_to_num(chunk_max, neginf=0.0)
    e = (scores - m.unsqueeze(-1)).exp()
    factor = torch.exp(maximum - m)
    return chunk_max, total * factor + e.sum(-1), mixture * factor.unsqueeze(-1) + e @ value


# %% wrong (fourth): the chunk's exponentials are relative to the chunk's maximum, the old sums to the common one
# true: chunk_relative_to_its_own_maximum
def online_softmax(
    maximum: Tensor, total: Tensor, mixture: Tensor, scores: Tensor, value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    chunk_max = scores.amax(dim=-1)
    new_max = torch.maximum(maximum, chunk_max)
    alpha = torch.exp(maximum - new_max).nan_to_num(0.0)
    exps = torch.exp(scores - chunk_max.unsqueeze(-1)).nan_to_num(0.0)
    total = alpha * total + exps.sum(dim=-1)
    mixture = alpha.unsqueeze(-1) * mixture + exps @ value
    return new_max, total, mixture


# %% wrong (fourth): the mixture is divided by the total in every step, as FlashAttention's first version keeps its output
# true: output_carried_for_the_mixture
def online_softmax(
    maximum: Tensor, total: Tensor, mixture: Tensor, scores: Tensor, value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    m_new = torch.maximum(maximum, scores.amax(-1))
    safe = torch.where(m_new.isinf(), 0.0, m_new)
    p = torch.exp(scores - safe.unsqueeze(-1))
    alpha = torch.exp(maximum - safe)
    l_new = alpha * total + p.sum(-1)
    o_new = (alpha * total).unsqueeze(-1) * mixture + p @ value
    o_new = torch.where(l_new.unsqueeze(-1) > 0, o_new / l_new.unsqueeze(-1), torch.zeros_like(o_new))
    return m_new, l_new, o_new


# %% wrong (fourth): returns a maximum of 0 where nothing has been seen
# true: zero_returned_for_minus_infinity
def online_softmax(
    maximum: Tensor, total: Tensor, mixture: Tensor, scores: Tensor, value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    new_max = torch.maximum(maximum, scores.amax(dim=-1))
    new_max = torch.where(new_max == -math.inf, torch.zeros_like(new_max), new_max)
    shrink = torch.exp(maximum - new_max)
    weights = torch.exp(scores - new_max.unsqueeze(-1))
    total = total * shrink + weights.sum(dim=-1)
    mixture = mixture * shrink.unsqueeze(-1) + weights @ value
    return new_max, total, mixture


# %% wrong (fourth): the lowest number in place of minus infinity: masked keys count as 1 each where all are masked
# true: lowest_number_for_infinity
def online_softmax(
    maximum: Tensor, total: Tensor, mixture: Tensor, scores: Tensor, value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    lowest = torch.finfo(scores.dtype).min
    scores = scores.clamp(min=lowest)
    new_max = torch.maximum(maximum.clamp(min=lowest), scores.amax(dim=-1))
    alpha = torch.exp(maximum.clamp(min=lowest) - new_max)
    p = torch.exp(scores - new_max[..., None])
    return new_max, alpha * total + p.sum(dim=-1), alpha[..., None] * mixture + p @ value


# %% wrong (fourth): exponentials of the scores as they are; the maximum is only carried along
# true: nothing_subtracted
def online_softmax(
    maximum: Tensor, total: Tensor, mixture: Tensor, scores: Tensor, value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    e = torch.exp(scores)
    new_maximum = torch.maximum(maximum, scores.amax(-1))
    return new_maximum, total + e.sum(-1), mixture + e @ value


# %% wrong (fourth): the old sums are shrunk, and the new ones too: the factor is multiplied to everything
# true: shrunk_after_adding
def online_softmax(
    maximum: Tensor, total: Tensor, mixture: Tensor, scores: Tensor, value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    new = torch.maximum(maximum, scores.amax(-1))
    base = torch.where(new == -torch.inf, torch.zeros_like(new), new)
    factor = torch.exp(maximum - base)
    e = torch.exp(scores - base[..., None])
    total = factor * (total + e.sum(-1))
    mixture = factor[..., None] * (mixture + e @ value)
    return new, total, mixture


# %% right (fourth): a finite stand-in for minus infinity, einsum
def online_softmax(
    maximum: Tensor, total: Tensor, mixture: Tensor, scores: Tensor, value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    highest = torch.maximum(maximum, scores.amax(dim=-1))  # (..., T)
    finite = torch.where(torch.isneginf(highest), torch.zeros_like(highest), highest)
    old = torch.exp(maximum - finite)
    new = torch.exp(scores - finite[..., None])
    return highest, old * total + new.sum(-1), old[..., None] * mixture + torch.einsum("...tc,...cv->...tv", new, value)


# %% right (fourth): one key after the other
def online_softmax(
    maximum: Tensor, total: Tensor, mixture: Tensor, scores: Tensor, value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    for c in range(scores.size(-1)):
        x = scores[..., c]
        larger = torch.maximum(maximum, x)
        nothing = larger == -math.inf
        shrink = torch.where(nothing, torch.ones_like(x), (maximum - larger).exp())
        e = torch.where(nothing, torch.zeros_like(x), (x - larger).exp())
        total = total * shrink + e
        mixture = mixture * shrink.unsqueeze(-1) + e.unsqueeze(-1) * value[..., c, :].unsqueeze(-2)
        maximum = larger
    return maximum, total, mixture


# %% right (fourth): the state so far is a key of its own, with total for its weight
def online_softmax(
    maximum: Tensor, total: Tensor, mixture: Tensor, scores: Tensor, value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    together = torch.cat([maximum.unsqueeze(-1), scores], dim=-1)  # (..., T, 1 + C)
    new_maximum = together.max(dim=-1).values
    e = torch.exp(together - new_maximum.unsqueeze(-1))
    e = torch.where(torch.isneginf(together), torch.zeros_like(e), e)
    old, chunk = e[..., 0], e[..., 1:]
    new_total = old * total + chunk.sum(dim=-1)
    new_mixture = old.unsqueeze(-1) * mixture + chunk @ value
    return new_maximum, new_total, new_mixture


# %% right (fourth): the chunk's own state first, then two states are merged
def online_softmax(
    maximum: Tensor, total: Tensor, mixture: Tensor, scores: Tensor, value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    def relative(x, to):
        return torch.nan_to_num(torch.exp(x - to), nan=0.0)

    m = scores.amax(-1)
    p = relative(scores, m.unsqueeze(-1))
    l, o = p.sum(-1), p @ value
    both = torch.maximum(maximum, m)
    a, b = relative(maximum, both), relative(m, both)
    return both, a * total + b * l, a.unsqueeze(-1) * mixture + b.unsqueeze(-1) * o


# %% wrong (fifth): returns 0 instead of minus infinity as maximum if all scores so far are masked
# true: zero_returned_for_minus_infinity
def online_softmax(
    maximum: Tensor, total: Tensor, mixture: Tensor, scores: Tensor, value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    new = torch.maximum(maximum, scores.amax(dim=-1))
    new = torch.where(new == -math.inf, torch.zeros_like(new), new)  # no inf - inf
    shrink = torch.exp(maximum - new)
    weights = torch.exp(scores - new.unsqueeze(-1))
    total = total * shrink + weights.sum(dim=-1)
    mixture = mixture * shrink.unsqueeze(-1) + weights @ value
    return new, total, mixture


# %% wrong (fifth): total and mixture are changed in place
# true: written_into_what_was_carried
def online_softmax(
    maximum: Tensor, total: Tensor, mixture: Tensor, scores: Tensor, value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    new = torch.maximum(maximum, scores.amax(dim=-1))
    safe = new.masked_fill(new == -math.inf, 0.0)
    shrink = (maximum - safe).exp()
    weights = (scores - safe[..., None]).exp()
    total *= shrink
    total += weights.sum(dim=-1)
    mixture *= shrink[..., None]
    mixture += weights @ value
    return new, total, mixture


# %% wrong (fifth): the maximum is that of the newest chunk, even if an older score was larger
# true: maximum_of_the_chunk
def online_softmax(
    maximum: Tensor, total: Tensor, mixture: Tensor, scores: Tensor, value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    new = scores.max(dim=-1).values
    new = torch.where(new == -math.inf, maximum, new)  # nothing to see in this chunk
    safe = torch.where(new == -math.inf, torch.zeros_like(new), new)
    shrink = torch.exp(maximum - safe)
    exps = torch.exp(scores - safe.unsqueeze(-1))
    return new, total * shrink + exps.sum(-1), mixture * shrink.unsqueeze(-1) + exps @ value


# %% right (fifth): the old sums are treated as one more column of scores
def online_softmax(
    maximum: Tensor, total: Tensor, mixture: Tensor, scores: Tensor, value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    columns = torch.cat([maximum.unsqueeze(-1), scores], dim=-1)  # (..., T, 1 + C)
    largest = columns.amax(dim=-1, keepdim=True)
    reference = largest.masked_fill(largest == float("-inf"), 0.0)
    exponentials = torch.exp(columns - reference)
    old, new = exponentials[..., :1], exponentials[..., 1:]
    return (
        largest.squeeze(-1),
        old.squeeze(-1) * total + new.sum(dim=-1),
        old * mixture + torch.matmul(new, value),
    )
