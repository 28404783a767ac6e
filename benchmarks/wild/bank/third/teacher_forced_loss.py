# %% wrong: reads (B, T, V) as (B, V, T) by a view instead of exchanging the axes
# true: axes_by_view
def teacher_forced_loss(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    B, T, V = logits.shape
    # cross_entropy wants the classes on axis 1
    return F.cross_entropy(logits.reshape(B, V, T), targets, ignore_index=pad_id)


# %% wrong: the mean of the sentences' means, so that a word of a short sentence weighs more
# true: mean_of_sentences
def teacher_forced_loss(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    loss = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")  # (B, T)
    mask = (targets != pad_id).to(loss.dtype)
    per_sentence = (loss * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1)
    return per_sentence.mean()


# %% wrong: the logarithm of a softmax plus 1e-9, so that no word can cost more than 20.7
# true: constant_inside_the_logarithm
def teacher_forced_loss(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    probs = torch.softmax(logits, dim=-1)
    picked = probs.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    nll = -torch.log(picked + 1e-9)  # eps against log(0)
    mask = targets != pad_id
    return (nll * mask).sum() / mask.sum()


# %% right: only the real places are kept, then log-sum-exp minus the target's logit
def teacher_forced_loss(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    real = targets != pad_id  # (B, T)
    kept, wanted = logits[real], targets[real]  # (N, V), (N,)
    of_target = kept[torch.arange(len(wanted), device=kept.device), wanted]  # (N,)
    return (torch.logsumexp(kept, dim=1) - of_target).mean()
