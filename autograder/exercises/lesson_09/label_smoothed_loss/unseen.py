# %% wrong (first): epsilon is shared out among the V - 1 other tokens, the label gets 1 - epsilon
# true: others_not_counting_the_label
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    V = logits.size(-1)
    log_probs = torch.log_softmax(logits, dim=-1)
    with torch.no_grad():
        true_dist = torch.full_like(log_probs, smoothing / (V - 1))
        true_dist.scatter_(-1, labels.unsqueeze(-1), 1.0 - smoothing)
    losses = (-true_dist * log_probs).sum(dim=-1)
    real = labels != pad_id
    return losses[real].mean()

# %% wrong (first): epsilon is shared out among the V - 2 tokens that are neither the label nor padding
# true: nothing_for_padding
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    vocab = logits.size(-1)
    logp = F.log_softmax(logits, dim=-1)
    wanted = torch.full_like(logp.data, smoothing / (vocab - 2))  # neither the label nor <pad>
    wanted[..., pad_id] = 0.0
    wanted.scatter_(2, labels.unsqueeze(2), 1.0 - smoothing)
    is_word = labels.ne(pad_id)
    wanted.mul_(is_word.unsqueeze(2))
    return -(wanted * logp).sum() / is_word.sum()

# %% wrong (first): padding is not in the sum, but it is divided by all places
# true: divided_by_all_places
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    logp = F.log_softmax(logits, dim=-1)
    nll = -logp.gather(dim=-1, index=labels.unsqueeze(-1)).squeeze(-1)
    smooth = -logp.mean(dim=-1)
    loss = (1.0 - smoothing) * nll + smoothing * smooth
    mask = (labels != pad_id).float()
    return (loss * mask).mean()

# %% wrong (first): padding is left out of the label's part only, the even part is averaged over all places
# true: smoothing_over_all_places
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    logp = torch.log_softmax(logits, dim=-1)
    V = logp.size(-1)
    nll = F.nll_loss(logp.reshape(-1, V), labels.reshape(-1), ignore_index=pad_id)
    even = -logp.mean()
    return (1 - smoothing) * nll + smoothing * even

# %% wrong (first): the even part is summed over the vocabulary and not divided by V
# true: smoothing_summed
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    surprise = -logits.log_softmax(-1)
    is_pad = labels.eq(pad_id)
    hard = surprise.gather(-1, labels[:, :, None])[:, :, 0]
    soft = surprise.sum(dim=-1)
    hard.masked_fill_(is_pad, 0.0)
    soft.masked_fill_(is_pad, 0.0)
    total = (1.0 - smoothing) * hard.sum() + smoothing * soft.sum()
    return total / (~is_pad).sum()

# %% wrong (first): it is the KL divergence from the smoothed label, the loss less the label's entropy
# true: divergence
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    V = logits.size(-1)
    one_hot = F.one_hot(labels, num_classes=V).to(logits.dtype)
    smoothed = one_hot * (1 - smoothing) + smoothing / V
    kl = F.kl_div(logits.log_softmax(-1), smoothed, reduction="none").sum(-1)
    keep = labels.ne(pad_id)
    return kl[keep].sum() / keep.sum()

# %% wrong (first): the softmax goes over the places of a sentence, not over the vocabulary
# true: softmax_over_time
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    logp = torch.log_softmax(logits, dim=1)
    picked = logp.gather(2, labels[..., None])[..., 0]
    per_token = -(1 - smoothing) * picked - smoothing * logp.mean(2)
    real = (labels != pad_id).to(per_token)
    return (per_token * real).sum() / real.sum()

# %% wrong (first): the softmax is taken first and its logarithm then, with a 1e-8 inside, so small probabilities are cut off
# true: small_number_in_the_logarithm
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    probs = torch.softmax(logits, dim=-1)
    logp = torch.log(probs + 1e-8)
    nll = -logp.gather(-1, labels.unsqueeze(-1)).squeeze(-1)
    even = -logp.mean(dim=-1)
    keep = labels != pad_id
    return ((1 - smoothing) * nll + smoothing * even)[keep].mean()

# %% wrong (first): it is the mean of the sentences' means, so short sentences weigh more a word
# true: mean_of_sentence_means
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    per_sentence = []
    for row, label in zip(logits, labels):
        keep = label != pad_id
        logp = row[keep].log_softmax(-1)
        nll = -logp[torch.arange(len(logp)), label[keep]]
        per_sentence.append(((1 - smoothing) * nll - smoothing * logp.mean(-1)).mean())
    return sum(per_sentence) / len(per_sentence)

# %% wrong (first): the smoothing that is asked for is ignored, it is always 0.1
# true: always_a_tenth
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    criterion = nn.CrossEntropyLoss(ignore_index=pad_id, label_smoothing=0.1)
    return criterion(logits.reshape(-1, logits.shape[-1]), labels.reshape(-1))

# %% wrong (first): the two weights are exchanged, the label gets epsilon and the even part 1 - epsilon
# true: parts_swapped
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    confidence = smoothing
    logp = torch.log_softmax(logits.float(), dim=-1)
    nll = F.nll_loss(logp.transpose(1, 2), labels, ignore_index=pad_id, reduction="sum")
    mask = labels.ne(pad_id)
    even = -(logp.mean(-1) * mask).sum()
    return (confidence * nll + (1 - confidence) * even) / mask.sum()

# %% wrong (first): padding is not among the tokens that share epsilon: its column is left out of the sum, which is still divided by V
# true: padding_column_left_out
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    V = logits.shape[-1]
    target = torch.zeros_like(logits).scatter_(-1, labels.unsqueeze(-1), 1.0)
    target = (1 - smoothing) * target + smoothing / V
    target[..., pad_id] = 0.0
    losses = -(target * torch.log_softmax(logits, -1)).sum(-1)
    n_tokens = (labels != pad_id).sum()
    return losses.masked_fill(labels == pad_id, 0.0).sum() / n_tokens

# %% wrong (first): the logits (B, T, V) are viewed as (B, V, T) in place of being transposed
# true: axes_by_view
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    B, T, V = logits.shape
    logits = logits.contiguous().view(B, V, T)
    return F.cross_entropy(logits, labels, ignore_index=pad_id, label_smoothing=smoothing)

# %% wrong (first): padding is always taken to be 0 / a Python number comes back, without gradient
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    logp = torch.log_softmax(logits, dim=-1)
    real = labels > 0
    nll = -logp.gather(2, labels.unsqueeze(2)).squeeze(2)
    total = ((1 - smoothing) * nll - smoothing * logp.mean(dim=2))[real].sum()
    return (total / real.sum()).item()

# %% wrong (first): the even part is the mean over the other V - 1 tokens, the label has no share in it, but the label's weight stays 1 - epsilon / padding counts like any token
# true: padding_counted, others_not_counting_the_label
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    V = logits.size(-1)
    logp = torch.log_softmax(logits.view(-1, V), dim=-1)
    flat = labels.reshape(-1)
    picked = logp[torch.arange(flat.numel()), flat]
    others = (logp.sum(dim=-1) - picked) / (V - 1)
    return -((1 - smoothing) * picked + smoothing * others).mean()

# %% wrong (first): logits of padding are overwritten in the caller's tensor / the mean counts padding
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    pad = labels == pad_id
    logits.data[pad] = 0.0
    logp = logits.log_softmax(dim=-1)
    loss = -(1 - smoothing) * logp.gather(-1, labels.unsqueeze(-1)).squeeze(-1) - smoothing * logp.mean(-1)
    return loss.mean()

# %% wrong (first): padding is recognised by the model's choice, not by the label
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    logp = torch.log_softmax(logits, dim=-1)
    real = logits.argmax(dim=-1) != pad_id
    nll = -logp.gather(-1, labels.unsqueeze(-1)).squeeze(-1)
    loss = (1 - smoothing) * nll + smoothing * -logp.mean(-1)
    return (loss * real).sum() / real.sum().clamp(min=1)

# %% right (first): log_softmax, gather, a mask
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    logp = torch.log_softmax(logits, dim=-1)
    nll = -logp.gather(dim=-1, index=labels.unsqueeze(-1)).squeeze(-1)
    even = -logp.mean(dim=-1)
    loss = (1.0 - smoothing) * nll + smoothing * even
    real = labels != pad_id
    return loss[real].mean()

# %% right (first): the smoothed label as a distribution, scatter_ under no_grad, one sum
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    V = logits.size(-1)
    logits = logits.reshape(-1, V)
    labels = labels.reshape(-1)
    keep = labels.ne(pad_id)
    with torch.no_grad():
        wanted = torch.full_like(logits, smoothing / V)
        wanted.scatter_add_(1, labels[:, None], torch.full_like(logits[:, :1], 1.0 - smoothing))
        wanted[~keep] = 0.0
    logp = logits - logits.logsumexp(dim=1, keepdim=True)
    return -torch.einsum("nv,nv->", wanted, logp) / keep.sum()

# %% right (first): two sums with masked_fill, epsilon over V
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    surprise = -F.log_softmax(logits, dim=-1)
    is_pad = labels.eq(pad_id)
    hard = surprise.gather(-1, labels[:, :, None])[:, :, 0].masked_fill(is_pad, 0.0).sum()
    soft = surprise.sum(dim=-1).masked_fill(is_pad, 0.0).sum()
    share = smoothing / logits.size(-1)
    words = labels.numel() - int(is_pad.sum())
    return ((1.0 - smoothing) * hard + share * soft) / words

# %% right (first): a loop over tokens
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    losses = []
    for b in range(labels.size(0)):
        for t in range(labels.size(1)):
            label = int(labels[b, t])
            if label == pad_id:
                continue
            surprise = -torch.log_softmax(logits[b, t], dim=0)
            losses.append((1 - smoothing) * surprise[label] + smoothing * surprise.mean())
    return torch.stack(losses).mean()

# %% wrong (second): it is the KL divergence from the smoothed labels, so their entropy is missing from the loss
# true: divergence
def label_smoothed_loss(logits, labels, pad_id, smoothing=0.1):
    vocab = logits.size(-1)
    log_probs = torch.log_softmax(logits, dim=-1)
    target = torch.full_like(log_probs, smoothing / vocab)
    target.scatter_(-1, labels.unsqueeze(-1), 1.0 - smoothing + smoothing / vocab)
    loss = F.kl_div(log_probs, target, reduction="none").sum(-1)
    keep = labels.ne(pad_id)
    return loss.masked_select(keep).mean()


# %% wrong (second): each sentence is averaged by itself and then the sentences, so a word of a short sentence counts more
# true: mean_of_sentence_means
def label_smoothed_loss(logits, labels, pad_id, smoothing=0.1):
    log_p = torch.log_softmax(logits, dim=-1)
    nll = -log_p.gather(2, labels[:, :, None])[:, :, 0]
    uniform = -log_p.mean(dim=2)
    loss = (1 - smoothing) * nll + smoothing * uniform
    real = (labels != pad_id).float()
    per_sentence = (loss * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)
    return per_sentence.mean()


# %% wrong (second): it is worked out in numpy and wrapped as a new tensor, so no gradient flows back to the logits
# true: no_gradient
def label_smoothed_loss(logits, labels, pad_id, smoothing=0.1):
    log_p = torch.log_softmax(logits, dim=-1).detach().cpu().numpy()
    ids = labels.cpu().numpy()
    total, count = 0.0, 0
    for b in range(ids.shape[0]):
        for t in range(ids.shape[1]):
            if ids[b, t] == pad_id:
                continue
            row = log_p[b, t]
            total += -(1 - smoothing) * row[ids[b, t]] - smoothing * row.mean()
            count += 1
    return torch.tensor(total / max(count, 1), dtype=logits.dtype, requires_grad=True)


# %% right (second): only the real rows are picked out first, then one product with the smoothed one-hot labels
def label_smoothed_loss(logits, labels, pad_id, smoothing=0.1):
    keep = labels.reshape(-1) != pad_id
    rows = logits.reshape(-1, logits.shape[-1])[keep]
    gold = labels.reshape(-1)[keep]
    soft = F.one_hot(gold, rows.shape[-1]).to(rows.dtype) * (1.0 - smoothing) + smoothing / rows.shape[-1]
    return -(soft * torch.log_softmax(rows, dim=-1)).sum(dim=-1).mean()

# %% wrong (third): shares ε among the V - 2 tokens that are neither label nor padding / returns the divergence, without the smoothed label's entropy
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


# %% wrong (third): the even part is a mean over all places, padding too; only the label's part leaves padding out
# true: smoothing_over_all_places
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    logp = torch.log_softmax(logits, dim=-1)
    nll = -logp.gather(dim=-1, index=labels.unsqueeze(-1)).squeeze(-1)
    mask = labels != pad_id
    nll_loss = nll[mask].mean()
    smooth_loss = -logp.mean(dim=-1).mean()
    return (1 - smoothing) * nll_loss + smoothing * smooth_loss


# %% wrong (third): takes the logarithm of probabilities plus 1e-9, so that an unlikely word can cost 21 nats at most
# true: small_number_in_the_logarithm
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    num_classes = logits.shape[-1]
    probs = F.softmax(logits, dim=-1)
    one_hot = F.one_hot(labels, num_classes).to(probs.dtype)
    soft = one_hot * (1 - smoothing) + smoothing / num_classes
    loss = -(soft * torch.log(probs + 1e-9)).sum(dim=-1)  # (B, T)
    mask = (labels != pad_id).to(loss.dtype)
    return (loss * mask).sum() / mask.sum()


# %% right (third): only the real places are looked at; the loss is logsumexp less the mean logit under the smoothed label
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    real = labels.ne(pad_id).nonzero(as_tuple=True)  # two index tensors (N,)
    scores, words = logits[real], labels[real]  # (N, V), (N,)
    scores = scores - scores.amax(dim=-1, keepdim=True).detach()  # the softmax does not notice
    at_label = scores[torch.arange(len(words), device=words.device), words]  # (N,)
    asked_for = at_label
    if smoothing > 0:
        asked_for = torch.lerp(at_label, scores.mean(dim=-1), smoothing)  # (N,): (1 - ε) · label + ε · all
    return (scores.logsumexp(dim=-1) - asked_for).mean()

# %% wrong (last): fairseq's convention, ε on the V - 1 other tokens, so that the label gets 1 - ε and not 1 - ε + ε/V
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


# %% wrong (last): the label's part is a mean over real tokens, the uniform part a mean over all places, padding too ("where the label is pad_id, nothing counts")
# true: smoothing_over_all_places
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    log_p = torch.log_softmax(logits, dim=-1)
    nll = F.nll_loss(log_p.flatten(0, 1), labels.flatten(), ignore_index=pad_id)
    uniform = -log_p.mean(dim=-1).mean()
    return (1 - smoothing) * nll + smoothing * uniform


# %% right (last): keeps the real places only, then interpolates between label and uniform with lerp
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    real = labels.ne(pad_id)
    surprise = -torch.log_softmax(logits[real], dim=-1)  # (N, V)
    of_label = surprise[torch.arange(len(surprise)), labels[real]]  # (N,)
    return torch.lerp(of_label, surprise.mean(dim=-1), float(smoothing)).mean()


# %% wrong (fifth): the smoothing term is averaged over all positions, those with padding too
# true: smoothing_over_all_places
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    log_p = torch.log_softmax(logits, dim=-1)  # (B, T, V)
    real = labels != pad_id  # (B, T)
    nll = -log_p.gather(-1, labels.unsqueeze(-1)).squeeze(-1)  # (B, T)
    label_term = (nll * real).sum() / real.sum()
    uniform_term = -log_p.mean()
    return (1 - smoothing) * label_term + smoothing * uniform_term


# %% wrong (fifth): 1e-9 is added to the softmax before the log, so a very unlikely token costs at most 20.7
# true: small_number_in_the_logarithm
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    probs = torch.softmax(logits, dim=-1)
    log_probs = torch.log(probs + 1e-9)  # avoid log(0)
    token_loss = -log_probs.gather(2, labels[..., None])[..., 0]
    smooth_loss = -log_probs.mean(dim=2)
    loss = (1 - smoothing) * token_loss + smoothing * smooth_loss
    mask = labels.ne(pad_id)
    return loss.masked_select(mask).sum() / mask.sum()


# %% right (fifth): the real positions are picked out first, then lerp between the two costs of each token
def label_smoothed_loss(logits: Tensor, labels: Tensor, pad_id: int, smoothing: float = 0.1) -> Tensor:
    keep = labels.ne(pad_id)
    wanted = labels[keep]  # (N,)
    surprise = torch.log_softmax(logits[keep], dim=1).neg()  # (N, V)
    of_label = surprise[torch.arange(len(wanted), device=wanted.device), wanted]  # (N,)
    of_all = surprise.mean(dim=1)  # (N,)
    return torch.lerp(of_label, of_all, smoothing).mean()
