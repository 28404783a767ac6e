# %% wrong: -inf is added to masked scores and nan only wiped off the weights, so nan stays in the gradients of a sentence that is masked throughout
# true: nan_in_gradients
def attend(scores, values, mask=None):
    if mask is not None:
        bias = torch.zeros_like(scores).masked_fill(mask.logical_not(), float("-inf"))
        scores = scores + bias
    weights = torch.softmax(scores, dim=-1)
    weights = torch.nan_to_num(weights, nan=0.0)
    context = torch.bmm(weights.unsqueeze(1), values).squeeze(1)
    return context, weights


# %% wrong: masked scores are multiplied by 0, which leaves them a weight under the softmax
# true: masked_with_zero
def attend(scores, values, mask=None):
    if mask is not None:
        scores = scores * mask.to(scores.dtype)
    weights = F.softmax(scores, dim=1)
    if mask is not None:
        # nobody to look at: zeros
        weights = weights * mask.any(dim=1, keepdim=True).to(weights.dtype)
    return (weights.unsqueeze(-1) * values).sum(1), weights


# %% wrong: zeros come only if the whole batch is masked; one sentence that is masked throughout among others gets equal weights
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


# %% right: masked scores far down by finfo.min, and the weights of masked keys put to 0 after the softmax
def attend(scores, values, mask=None):
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        low = torch.finfo(scores.dtype).min
        weights = torch.where(mask, scores, torch.full_like(scores, low)).softmax(dim=-1)
        weights = weights.masked_fill(~mask, 0.0)
    context = torch.matmul(weights[:, None, :], values)[:, 0, :]
    return context, weights
