# %% wrong: fairseq's convention, ε on the V - 1 other tokens, so that the label gets 1 - ε and not 1 - ε + ε/V
# true: others_not_counting_the_label
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    lprobs = torch.log_softmax(logits, dim=-1)
    target = labels.unsqueeze(-1)
    nll_loss = -lprobs.gather(dim=-1, index=target)
    smooth_loss = -lprobs.sum(dim=-1, keepdim=True)
    pad_mask = target.eq(pad_id)
    nll_loss = nll_loss.masked_fill(pad_mask, 0.0)
    smooth_loss = smooth_loss.masked_fill(pad_mask, 0.0)
    eps_i = smoothing / (lprobs.size(-1) - 1)
    loss = (1.0 - smoothing - eps_i) * nll_loss + eps_i * smooth_loss
    return loss.sum() / (~pad_mask).sum()


# %% wrong: the label's part is a mean over real tokens, the uniform part a mean over all places, padding too ("where the label is pad_id, nothing counts")
# true: smoothing_over_all_places
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    log_p = torch.log_softmax(logits, dim=-1)
    nll = F.nll_loss(log_p.flatten(0, 1), labels.flatten(), ignore_index=pad_id)
    uniform = -log_p.mean(dim=-1).mean()
    return (1 - smoothing) * nll + smoothing * uniform


# %% right: keeps the real places only, then interpolates between label and uniform with lerp
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    real = labels.ne(pad_id)
    surprise = -torch.log_softmax(logits[real], dim=-1)  # (N, V)
    of_label = surprise[torch.arange(len(surprise)), labels[real]]  # (N,)
    return torch.lerp(of_label, surprise.mean(dim=-1), float(smoothing)).mean()
