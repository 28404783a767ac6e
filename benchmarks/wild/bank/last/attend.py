# %% wrong: masked after the softmax and divided by what is left plus a small number, AllenNLP's masked_softmax
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


# %% wrong: a bias of -inf is added and nan replaced afterwards; the gradient of a sentence without keys is nan
# true: nan_in_gradients
# Violates "leaves no nan behind, not in the gradients either". All returned numbers are right.
def attend(scores: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    if mask is not None:
        attn_bias = torch.zeros_like(scores)
        attn_bias = attn_bias.masked_fill(mask.logical_not(), float("-inf"))
        scores = scores + attn_bias
    weights = torch.nan_to_num(torch.softmax(scores, dim=-1), nan=0.0)
    return (weights.unsqueeze(-1) * values).sum(dim=1), weights


# %% right: exponentials by hand over the real keys only, a safe denominator, einsum
def attend(scores: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    real = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
    lowest = torch.finfo(scores.dtype).min
    highest = torch.where(real, scores, lowest).amax(dim=-1, keepdim=True).detach()  # (B, 1)
    raised = torch.where(real, scores, highest).sub(highest).exp() * real  # (B, S): at most 1 each
    total = raised.sum(dim=-1, keepdim=True)  # (B, 1): at least 1, or 0 where nothing is real
    weights = raised / torch.where(total > 0, total, torch.ones_like(total))
    return torch.einsum("bs,bsv->bv", weights, values), weights
