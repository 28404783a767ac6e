# %% wrong: where all keys are masked the context is zeros, but the weights are left uniform
# true: context_zeroed_alone
def attend(scores: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    weights = F.softmax(scores, dim=-1)
    context = torch.bmm(weights.unsqueeze(1), values).squeeze(1)
    if mask is not None:
        context = context * mask.any(dim=-1, keepdim=True)
    return context, weights


# %% wrong: adds -inf to masked scores, so that a fully masked sentence leaves nan in the gradients
# true: nan_in_gradients
def attend(scores: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    if mask is not None:
        bias = torch.zeros_like(scores).masked_fill(~mask, float("-inf"))
        scores = scores + bias
    weights = torch.softmax(scores, dim=-1)
    weights = torch.nan_to_num(weights, nan=0.0)
    context = (weights.unsqueeze(-1) * values).sum(dim=1)
    return context, weights


# %% wrong: masks after the softmax and divides again, so that a masked key with a high score swallows the others' weight
# true: renormalised_with_a_floor
def attend(scores: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask
        weights = weights / (weights.sum(dim=-1, keepdim=True) + 1e-13)
    return torch.einsum("bs,bsv->bv", weights, values), weights


# %% right: a sentence without keys is let through the softmax unmasked and set to zero behind it
def attend(scores: Tensor, values: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    nobody = ~mask.any(dim=-1, keepdim=True)  # (B, 1)
    allowed = torch.where(mask | nobody, scores, -math.inf)  # (B, S): each row has a finite score
    weights = torch.where(mask, allowed.softmax(dim=-1), 0.0)  # (B, S)
    context = torch.baddbmm(values.new_zeros(1, 1, 1), weights[:, None], values)[:, 0]  # (B, Dv)
    return context, weights
