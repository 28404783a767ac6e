# %% wrong: shares ε among the V - 2 tokens that are neither label nor padding / returns the divergence, without the smoothed label's entropy
# true: divergence_with_nothing_for_padding
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    V = logits.size(-1)
    x = torch.log_softmax(logits, dim=-1).reshape(-1, V)
    target = labels.reshape(-1)
    with torch.no_grad():
        true_dist = torch.full_like(x, smoothing / (V - 2))
        true_dist.scatter_(1, target.unsqueeze(1), 1.0 - smoothing)
        true_dist[:, pad_id] = 0
        true_dist[target == pad_id] = 0.0
    ntokens = (target != pad_id).sum()
    return F.kl_div(x, true_dist, reduction="sum") / ntokens


# %% wrong: the even part is a mean over all places, padding too; only the label's part leaves padding out
# true: smoothing_over_all_places
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    logp = torch.log_softmax(logits, dim=-1)
    nll = -logp.gather(dim=-1, index=labels.unsqueeze(-1)).squeeze(-1)
    mask = labels != pad_id
    nll_loss = nll[mask].mean()
    smooth_loss = -logp.mean(dim=-1).mean()
    return (1 - smoothing) * nll_loss + smoothing * smooth_loss


# %% wrong: takes the logarithm of probabilities plus 1e-9, so that an unlikely word can cost 21 nats at most
# true: small_number_in_the_logarithm
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    num_classes = logits.shape[-1]
    probs = F.softmax(logits, dim=-1)
    one_hot = F.one_hot(labels, num_classes).to(probs.dtype)
    soft = one_hot * (1 - smoothing) + smoothing / num_classes
    loss = -(soft * torch.log(probs + 1e-9)).sum(dim=-1)  # (B, T)
    mask = (labels != pad_id).to(loss.dtype)
    return (loss * mask).sum() / mask.sum()


# %% right: only the real places are looked at; the loss is logsumexp less the mean logit under the smoothed label
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    real = labels.ne(pad_id).nonzero(as_tuple=True)  # two index tensors (N,)
    scores, words = logits[real], labels[real]  # (N, V), (N,)
    scores = scores - scores.amax(dim=-1, keepdim=True).detach()  # the softmax does not notice
    at_label = scores[torch.arange(len(words), device=words.device), words]  # (N,)
    asked_for = at_label
    if smoothing > 0:
        asked_for = torch.lerp(at_label, scores.mean(dim=-1), smoothing)  # (N,): (1 - ε) · label + ε · all
    return (scores.logsumexp(dim=-1) - asked_for).mean()
