# %% wrong (first): the mask comes after the softmax, the other weights do not sum to 1
# true: masked_after_softmax
def attend(scores, values, mask=None):
    weights = F.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask.float()
    context = torch.bmm(weights.unsqueeze(1), values).squeeze(1)
    return context, weights

# %% wrong (first): a sentence whose keys are all masked gives nan
# true: fully_masked_nan
def attend(scores: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    return torch.einsum("bs,bsd->bd", weights, values), weights

# %% wrong (first): a sentence whose keys are all masked gets equal weights and a mean of its padding, not zeros
# true: fully_masked_uniform
def attend(scores, values, mask=None):
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    alpha = torch.softmax(scores, dim=1)
    return (alpha.unsqueeze(-1) * values).sum(1), alpha

# %% wrong (first): True is read as masked, the mask the wrong way round
# true: mask_inverted
def attend(scores, values, mask=None):
    if mask is not None:
        scores = scores.masked_fill(mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights.masked_fill(mask, 0.0)
    return torch.matmul(weights[:, None], values)[:, 0], weights

# %% wrong (first): the mask is added as minus infinity and nan is replaced afterwards: the numbers are right, the gradients are nan for a sentence that is all masked
# true: nan_in_gradients
def attend(scores, values, mask=None):
    if mask is not None:
        bias = torch.zeros_like(scores).masked_fill(~mask, float("-inf"))
        scores = scores + bias
    weights = torch.softmax(scores, dim=-1).nan_to_num(0.0)
    return torch.einsum("bs,bsd->bd", weights, values), weights

# %% wrong (first): all keys share the softmax and the real ones are renormalised with the 0/0 hidden by torch.where: the numbers are right, the gradients of an all-masked sentence are nan
# true: division_by_zero_hidden
def attend(scores, values, mask=None):
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask
        total = weights.sum(dim=-1, keepdim=True)
        weights = torch.where(total > 0, weights / total, torch.zeros_like(weights))
    return (weights[..., None] * values).sum(dim=1), weights

# %% wrong (first): masked scores get 1e-9 in place of -1e9 (a typing mistake), so padding keeps weight
# half: masked_with_zero
def attend(scores, values, mask=None):
    if mask is not None:
        scores = scores.masked_fill(mask == False, 1e-9)
    weights = F.softmax(scores, dim=1)
    if mask is not None:
        weights = weights * mask.any(dim=1, keepdim=True)
    context = weights.unsqueeze(1).bmm(values).squeeze(1)
    return context, weights

# %% wrong (first): scores are multiplied by the mask, a masked key gets score 0 and keeps weight
# true: masked_with_zero
def attend(scores, values, mask=None):
    if mask is not None:
        scores = scores * mask
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = torch.where(mask.any(-1, keepdim=True), weights, 0.0)
    return torch.einsum("bs,bsv->bv", weights, values), weights

# %% wrong (first): the softmax runs over the batch
# true: softmax_over_sentences
def attend(scores, values, mask=None):
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = nn.Softmax(dim=0)(scores)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0)
    context = torch.sum(weights.unsqueeze(2) * values, dim=1)
    return context, weights

# %% wrong (first): the caller's scores are overwritten in place at masked keys
# true: scores_overwritten
def attend(scores, values, mask=None):
    if mask is not None:
        scores.data.masked_fill_(~mask, -1e9)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask.to(weights.dtype)
    return torch.bmm(weights.unsqueeze(1), values).squeeze(1), weights

# %% wrong (first): returns (weights, context), exchanged
# true: weights_first
def attend(scores, values, mask=None):
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask
    context = torch.einsum("bs,bsd->bd", weights, values)
    return weights, context

# %% wrong (first): exp without taking the maximum away, large scores give infinity and nan
# true: no_max_subtraction
def attend(scores, values, mask=None):
    e = scores.exp()
    if mask is not None:
        e = e * mask
    weights = e / e.sum(-1, keepdim=True).clamp(min=1e-12)
    return (weights.unsqueeze(-1) * values).sum(-2), weights

# %% wrong (first): the maximum that is taken away is that of the masked keys too, so a loud masked key drives all real weights to zero
# true: renormalised_with_a_floor
def attend(scores, values, mask=None):
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    e = torch.exp(scores - scores.max(dim=1, keepdim=True)[0]) * mask
    weights = e / (e.sum(dim=1, keepdim=True) + 1e-13)
    return torch.matmul(weights.unsqueeze(1), values).squeeze(1), weights

# %% wrong (first): zeros only where the whole batch is masked; one all-masked sentence among others gets equal weights
# true: fully_masked_uniform
def attend(scores, values, mask=None):
    if mask is not None:
        if not mask.any():
            return values.new_zeros(values.size(0), values.size(2)), torch.zeros_like(scores)
        scores = scores.masked_fill(~mask, -1e9)
    weights = F.softmax(scores, dim=-1)
    return torch.bmm(weights[:, None, :], values)[:, 0, :], weights

# %% wrong (first): context is made before the weights of an all-masked sentence are set to zero, so it holds a mean of the padding
# true: context_before_the_zeros
def attend(scores, values, mask=None):
    if mask is not None:
        scores = torch.where(mask, scores, torch.full_like(scores, -1e9))
    weights = scores.softmax(dim=-1)
    context = torch.einsum("bs,bsd->bd", weights, values)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return context, weights

# %% wrong (first): weights are renormalised by the sum over the whole batch, right for a batch of one only
# true: renormalised_over_the_batch
def attend(scores, values, mask=None):
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    w = torch.softmax(scores, dim=-1)
    if mask is not None:
        w = w * mask
        w = w / w.sum().clamp(min=1e-9)
    return (w[:, :, None] * values).sum(dim=1), w

# %% wrong (first): the values of masked keys are zeroed but the weights are not masked, so the others sum to less than 1
# true: values_masked
def attend(scores, values, mask=None):
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        values = values.masked_fill(~mask.unsqueeze(-1), 0)
    return torch.bmm(weights.unsqueeze(1), values).squeeze(1), weights

# %% wrong (first): weights are detached before they meet the values, so no gradient reaches the scores
# true: weights_detached
def attend(scores, values, mask=None):
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask
    context = torch.einsum("bs,bsd->bd", weights.data, values)
    return context, weights

# %% wrong (first): scores are divided by the square root of the values' width / the context keeps an axis, (B, 1, Dv)
def attend(scores, values, mask=None):
    scores = scores / math.sqrt(values.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return weights.unsqueeze(1) @ values, weights

# %% wrong (first): masking subtracts only 10, loud masked keys keep weight
# true: masked_with_a_small_constant
def attend(scores, values, mask=None):
    if mask is not None:
        scores = scores - 10.0 * (~mask).to(scores.dtype)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask.any(dim=-1, keepdim=True).to(weights.dtype)
    return torch.matmul(weights.unsqueeze(-2), values).squeeze(-2), weights

# %% wrong (first): crashes without a mask (mask=None is negated)
def attend(scores, values, mask=None):
    weights = torch.softmax(scores.masked_fill(~mask, -1e9), dim=-1) * mask
    return torch.einsum("bs,bsd->bd", weights, values), weights

# %% wrong (first): minus infinity gives nan for an all-masked sentence / the context keeps the axis of the query, (B, 1, Dv)
def attend(scores, values, mask=None):
    if mask is not None:
        scores = scores.masked_fill(mask.eq(0), -float("inf"))
    p_attn = F.softmax(scores, dim=-1).unsqueeze(1)
    return torch.bmm(p_attn, values), p_attn.squeeze(1)

# %% wrong (first): the best key takes all (argmax), no gradient reaches the scores / a masked-out sentence still takes its first key
# true: hard_maximum
def attend(scores, values, mask=None):
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    best = scores.argmax(dim=-1)
    weights = F.one_hot(best, scores.size(-1)).to(values.dtype)
    return torch.einsum("bs,bsd->bd", weights, values), weights

# %% wrong (first): a sigmoid for each key in place of the softmax, weights do not sum to 1
# true: sigmoid
def attend(scores, values, mask=None):
    weights = torch.sigmoid(scores)
    if mask is not None:
        weights = weights * mask.type_as(weights)
    return (weights.unsqueeze(-1) * values).sum(dim=1), weights

# %% right (first): finite fill, softmax, then zeros at masked keys
def attend(scores: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return torch.einsum("bs,bsd->bd", weights, values), weights

# %% right (first): all-masked rows are opened before the softmax and closed after it, -inf inside, bmm
def attend(scores, values, mask=None):
    if mask is None:
        weights = F.softmax(scores, dim=1)
    else:
        nobody = ~mask.any(dim=1, keepdim=True)  # (B, 1)
        open_mask = mask | nobody
        weights = F.softmax(scores.masked_fill(~open_mask, float("-inf")), dim=1)
        weights = weights * (~nobody).to(weights.dtype)
    context = torch.bmm(weights.unsqueeze(1), values).squeeze(1)
    return context, weights

# %% right (first): exponentials by hand, maximum over real keys only, clamped sum
def attend(scores, values, mask=None):
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    s = torch.where(mask, scores, torch.full_like(scores, -1e30 if scores.dtype != torch.float16 else -6e4))
    top = s.detach().amax(dim=-1, keepdim=True)
    e = torch.exp(s - top) * mask.to(s.dtype)
    weights = e / e.sum(dim=-1, keepdim=True).clamp(min=1e-6)
    return (weights.unsqueeze(-1) * values).sum(dim=1), weights

# %% right (first): sentence by sentence, a softmax of the real keys only, scattered back
def attend(scores, values, mask=None):
    if mask is None:
        mask = torch.ones(scores.shape, dtype=torch.bool, device=scores.device)
    rows = []
    for e, real in zip(scores, mask):
        if real.any():
            rows.append(torch.zeros_like(e).masked_scatter(real, torch.softmax(e[real], dim=0)))
        else:
            rows.append(e.masked_fill(~real, 0.0))  # nobody to look at
    weights = torch.stack(rows)
    return torch.stack([w @ v for w, v in zip(weights, values)]), weights

# %% wrong (second): -inf is added to masked scores and nan only wiped off the weights, so nan stays in the gradients of a sentence that is masked throughout
# true: nan_in_gradients
def attend(scores, values, mask=None):
    if mask is not None:
        bias = torch.zeros_like(scores).masked_fill(mask.logical_not(), float("-inf"))
        scores = scores + bias
    weights = torch.softmax(scores, dim=-1)
    weights = torch.nan_to_num(weights, nan=0.0)
    context = torch.bmm(weights.unsqueeze(1), values).squeeze(1)
    return context, weights


# %% wrong (second): masked scores are multiplied by 0, which leaves them a weight under the softmax
# true: masked_with_zero
def attend(scores, values, mask=None):
    if mask is not None:
        scores = scores * mask.to(scores.dtype)
    weights = F.softmax(scores, dim=1)
    if mask is not None:
        # nobody to look at: zeros
        weights = weights * mask.any(dim=1, keepdim=True).to(weights.dtype)
    return (weights.unsqueeze(-1) * values).sum(1), weights


# %% wrong (second): zeros come only if the whole batch is masked; one sentence that is masked throughout among others gets equal weights
# true: fully_masked_uniform
def attend(scores, values, mask=None):
    B, S = scores.shape
    if mask is not None:
        if not mask.any():
            print("warning: everything is masked")
            return values.new_zeros(B, values.shape[-1]), scores.new_zeros(B, S)
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    alpha = torch.softmax(scores, -1)
    context = torch.einsum("bs,bsd->bd", alpha, values)
    return context, alpha


# %% right (second): masked scores far down by finfo.min, and the weights of masked keys put to 0 after the softmax
def attend(scores, values, mask=None):
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        low = torch.finfo(scores.dtype).min
        weights = torch.where(mask, scores, torch.full_like(scores, low)).softmax(dim=-1)
        weights = weights.masked_fill(~mask, 0.0)
    context = torch.matmul(weights[:, None, :], values)[:, 0, :]
    return context, weights

# %% wrong (third): where all keys are masked the context is zeros, but the weights are left uniform
# true: context_zeroed_alone
def attend(scores: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    weights = F.softmax(scores, dim=-1)
    context = torch.bmm(weights.unsqueeze(1), values).squeeze(1)
    if mask is not None:
        context = context * mask.any(dim=-1, keepdim=True)
    return context, weights


# %% wrong (third): adds -inf to masked scores, so that a fully masked sentence leaves nan in the gradients
# true: nan_in_gradients
def attend(scores: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    if mask is not None:
        bias = torch.zeros_like(scores).masked_fill(~mask, float("-inf"))
        scores = scores + bias
    weights = torch.softmax(scores, dim=-1)
    weights = torch.nan_to_num(weights, nan=0.0)
    context = (weights.unsqueeze(-1) * values).sum(dim=1)
    return context, weights


# %% wrong (third): masks after the softmax and divides again, so that a masked key with a high score swallows the others' weight
# true: renormalised_with_a_floor
def attend(scores: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask
        weights = weights / (weights.sum(dim=-1, keepdim=True) + 1e-13)
    return torch.einsum("bs,bsv->bv", weights, values), weights


# %% right (third): a sentence without keys is let through the softmax unmasked and set to zero behind it
def attend(scores: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    nobody = ~mask.any(dim=-1, keepdim=True)  # (B, 1)
    allowed = torch.where(mask | nobody, scores, -math.inf)  # (B, S): each row has a finite score
    weights = torch.where(mask, allowed.softmax(dim=-1), 0.0)  # (B, S)
    context = torch.baddbmm(values.new_zeros(1, 1, 1), weights[:, None], values)[:, 0]  # (B, Dv)
    return context, weights

# %% wrong (last): masked after the softmax and divided by what is left plus a small number, AllenNLP's masked_softmax
# true: renormalised_with_a_floor
# Violates "the others still sum to 1. So mask before the softmax": where a masked score is far above the others,
# nothing is left of them to be divided, and their weights are 0.
def attend(scores: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask
        weights = weights / (weights.sum(dim=-1, keepdim=True) + 1e-13)
    context = torch.bmm(weights.unsqueeze(1), values).squeeze(1)
    return context, weights


# %% wrong (last): a bias of -inf is added and nan replaced afterwards; the gradient of a sentence without keys is nan
# true: nan_in_gradients
# Violates "leaves no nan behind, not in the gradients either". All returned numbers are right.
def attend(scores: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    if mask is not None:
        attn_bias = torch.zeros_like(scores)
        attn_bias = attn_bias.masked_fill(mask.logical_not(), float("-inf"))
        scores = scores + attn_bias
    weights = torch.nan_to_num(torch.softmax(scores, dim=-1), nan=0.0)
    return (weights.unsqueeze(-1) * values).sum(dim=1), weights


# %% right (last): exponentials by hand over the real keys only, a safe denominator, einsum
def attend(scores: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    real = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
    lowest = torch.finfo(scores.dtype).min
    highest = torch.where(real, scores, lowest).amax(dim=-1, keepdim=True).detach()  # (B, 1)
    raised = torch.where(real, scores, highest).sub(highest).exp() * real  # (B, S): at most 1 each
    total = raised.sum(dim=-1, keepdim=True)  # (B, 1): at least 1, or 0 where nothing is real
    weights = raised / torch.where(total > 0, total, torch.ones_like(total))
    return torch.einsum("bs,bsv->bv", weights, values), weights


# %% wrong (fifth): masks after the softmax and divides by the sum, which underflows beside a large masked score
# true: renormalised_with_a_floor
def attend(scores: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask
        weights = weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-9)
    context = (weights.unsqueeze(1) @ values).squeeze(1)
    return context, weights


# %% wrong (fifth): zeros only if the whole batch is masked; one such sentence among others gives nan
# true: fully_masked_nan
def attend(scores: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    if mask is not None:
        if not mask.any():
            weights = scores * 0
            return (weights.unsqueeze(2) * values).sum(dim=1), weights
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=1)
    return (weights.unsqueeze(2) * values).sum(dim=1), weights


# %% wrong (fifth): a masked key gets the score -1e9 and nothing more: all masked gives equal weights, not zeros
# true: fully_masked_uniform
def attend(scores: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    weights = F.softmax(scores, dim=-1)  # (B, S)
    context = torch.bmm(weights.unsqueeze(1), values).squeeze(1)  # (B, Dv)
    return context, weights


# %% right (fifth): exp of scores minus logsumexp, a sentence without keys is given zeros before and after
def attend(scores: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    nobody = ~mask.any(dim=1, keepdim=True)  # (B, 1)
    safe = scores.masked_fill(~mask, -math.inf).masked_fill(nobody, 0.0)
    weights = (safe - safe.logsumexp(dim=1, keepdim=True)).exp().masked_fill(nobody, 0.0)
    return torch.einsum("bs,bsd->bd", weights, values), weights
