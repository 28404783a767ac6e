# %% wrong (first): padding is masked in the sum, but the sum is divided by all places (mean)
# true: divided_by_all_places
def teacher_forced_loss(logits, targets, pad_id):
    losses = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")
    mask = (targets != pad_id).float()
    return (losses * mask).mean()

# %% wrong (first): padding counts like any word
# true: padding_counted
def teacher_forced_loss(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    B, T, V = logits.shape
    return F.cross_entropy(logits.reshape(B * T, V), targets.reshape(B * T))

# %% wrong (first): ignores id 0 and not pad_id
# true: pad_taken_for_0
def teacher_forced_loss(logits, targets, pad_id):
    criterion = nn.CrossEntropyLoss(ignore_index=0)
    return criterion(logits.reshape(-1, logits.size(-1)), targets.reshape(-1))

# %% wrong (first): each sentence's mean is taken first and then the mean of the sentences
# true: mean_of_sentences
def teacher_forced_loss(logits, targets, pad_id):
    nll = F.cross_entropy(logits.permute(0, 2, 1), targets, reduction="none")  # (B, T)
    real = (targets != pad_id).to(nll.dtype)
    per_sentence = (nll * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)
    return per_sentence.mean()

# %% wrong (first): the sum is divided by the number of sentences, not of tokens
# true: summed_within_sentences
def teacher_forced_loss(logits, targets, pad_id):
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id, reduction="sum")
    return loss / logits.size(0)

# %% wrong (first): shifts targets by one although the batch was made shifted
# true: shifted_once_more
def teacher_forced_loss(logits, targets, pad_id):
    logits = logits[:, :-1].contiguous()
    targets = targets[:, 1:].contiguous()
    return F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=pad_id)

# %% wrong (first): a softmax and then a logarithm, which gives infinity (or nan) for large logits
# true: logarithm_after_softmax
def teacher_forced_loss(logits, targets, pad_id):
    probs = torch.softmax(logits, dim=-1)
    p = probs.gather(2, targets.unsqueeze(2)).squeeze(2)
    crossEntropy = -torch.log(p)
    return crossEntropy.masked_select(targets != pad_id).mean()

# %% wrong (first): softmax is taken before cross_entropy, which takes it once more
# true: softmax_twice
def teacher_forced_loss(logits, targets, pad_id):
    probabilities = F.softmax(logits, dim=-1)
    return F.cross_entropy(probabilities.reshape(-1, probabilities.shape[-1]), targets.reshape(-1), ignore_index=pad_id)

# %% wrong (first): exp of the raw logits overflows, no maximum is taken away
# true: exponentials_overflow
def teacher_forced_loss(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    log_z = torch.log(torch.exp(logits).sum(dim=-1))  # (B, T)
    picked = torch.gather(logits, -1, targets[..., None])[..., 0]
    nll = log_z - picked
    keep = targets != pad_id
    return nll[keep].sum() / keep.sum()

# %% wrong (first): logits are reshaped to (B, V, T) by view in place of a transposition, scores of several steps are mixed
# true: axes_by_view
def teacher_forced_loss(logits, targets, pad_id):
    B, T, V = logits.shape
    return F.cross_entropy(logits.reshape(B, V, T), targets, ignore_index=pad_id)

# %% wrong (first): the mean is in bits (log base 2), not in nats
# true: in_bits
def teacher_forced_loss(logits, targets, pad_id):
    logp = F.log_softmax(logits, dim=-1) / math.log(2)
    mask = targets.ne(pad_id)
    picked = logp.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    return -(picked * mask).sum() / mask.sum()

# %% wrong (first): the softmax runs over the time axis
# true: softmax_over_time
def teacher_forced_loss(logits, targets, pad_id):
    log_probs = F.log_softmax(logits, dim=1)
    nll = F.nll_loss(log_probs.flatten(end_dim=1), targets.flatten(), ignore_index=pad_id)
    return nll

# %% wrong (first): the sign is forgotten, the loss is the mean of log p
# true: sign_forgotten
def teacher_forced_loss(logits, targets, pad_id):
    logp = logits.log_softmax(-1)
    rows = torch.arange(logits.size(0))[:, None]
    cols = torch.arange(logits.size(1))[None, :]
    picked = logp[rows, cols, targets]
    mask = targets != pad_id
    return picked[mask].mean()

# %% wrong (first): label smoothing of 0.1 is switched on
# true: labels_smoothed
def teacher_forced_loss(logits, targets, pad_id):
    loss_fn = nn.CrossEntropyLoss(ignore_index=pad_id, label_smoothing=0.1)
    return loss_fn(logits.transpose(1, 2), targets)

# %% wrong (first): the result is made of .item() numbers, it has no gradient and nothing can be trained with it
def teacher_forced_loss(logits, targets, pad_id):
    total, count = 0.0, 0
    logp = torch.log_softmax(logits, dim=-1)
    for b in range(targets.shape[0]):
        for t in range(targets.shape[1]):
            y = targets[b, t].item()
            if y == pad_id:
                continue
            total -= logp[b, t, y].item()
            count += 1
    return torch.tensor(total / count)

# %% wrong (first): stops at the first padding of the batch's first sentence, so longer sentences beside it are cut / divides by all places
# true: divided_by_all_places
def teacher_forced_loss(logits, targets, pad_id):
    row = targets[0].tolist()
    T = row.index(pad_id) if pad_id in row else len(row)
    logits, targets = logits[:, :T], targets[:, :T]
    nll = F.cross_entropy(logits.reshape(-1, logits.size(-1)), targets.reshape(-1), reduction="none")
    nll = nll * (targets.reshape(-1) != pad_id)
    return nll.sum() / nll.numel()

# %% wrong (first): sets the logits of padding places to zero in the caller's tensor / the masked places then count ln V
def teacher_forced_loss(logits, targets, pad_id):
    mask = targets != pad_id
    logits.data[~mask] = 0.0
    return F.cross_entropy(logits.reshape(-1, logits.size(-1)), targets.reshape(-1))

# %% wrong (first): the padding token's score is taken out of the softmax (set to minus infinity), so the other tokens share its probability
# true: padding_cannot_be_said
def teacher_forced_loss(logits, targets, pad_id):
    logits = logits.clone()
    logits[..., pad_id] = -1e9
    V = logits.size(-1)
    return F.cross_entropy(logits.view(-1, V), targets.reshape(-1), ignore_index=pad_id)

# %% wrong (first): returns the sum and the number of tokens, not their ratio
def teacher_forced_loss(logits, targets, pad_id):
    nll = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id, reduction="sum")
    return nll, (targets != pad_id).sum()

# %% wrong (first): divides by the number of all places / exp of the raw logits overflows
# true: divided_by_all_places, exponentials_overflow
def teacher_forced_loss(logits, targets, pad_id):
    p = torch.exp(logits) / torch.exp(logits).sum(-1, keepdim=True)
    nll = -torch.log(torch.gather(p, 2, targets.unsqueeze(2))).squeeze(2)
    nll = torch.where(targets == pad_id, torch.zeros_like(nll), nll)
    return nll.sum() / targets.numel()

# %% wrong (first): 1e-9 is added inside the logarithm, so very unlikely words cost at most about 21 nats / padding is that of id 0
def teacher_forced_loss(logits, targets, pad_id):
    probs = F.softmax(logits, dim=2)
    picked = probs.gather(2, targets[:, :, None])[:, :, 0]
    keep = (targets > 0).to(logits.dtype)
    return -(torch.log(picked + 1e-9) * keep).sum() / keep.sum()

# %% right (first): cross_entropy with ignore_index
def teacher_forced_loss(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id)

# %% right (first): log_softmax and gather, boolean selection
def teacher_forced_loss(logits, targets, pad_id):
    log_probs = torch.log_softmax(logits, dim=-1)
    nll = -log_probs.gather(-1, targets.unsqueeze(-1)).squeeze(-1)  # (B, T)
    return nll[targets != pad_id].mean()

# %% right (first): logsumexp by hand with the maximum taken away, masked sum over count
def teacher_forced_loss(logits, targets, pad_id):
    top = logits.detach().amax(dim=-1, keepdim=True)
    log_z = (logits - top).exp().sum(-1).log() + top.squeeze(-1)
    onehot = F.one_hot(targets, logits.size(-1)).bool()
    score = logits.masked_fill(~onehot, 0).sum(-1)
    real = (targets != pad_id).to(logits.dtype)
    return ((log_z - score) * real).sum() / real.sum()

# %% right (first): a loop over the steps, sum of nll_loss, one division at the end
def teacher_forced_loss(logits, targets, pad_id):
    criterion = nn.NLLLoss(ignore_index=pad_id, reduction="sum")
    total = 0
    for t in range(targets.size(1)):
        total = total + criterion(F.log_softmax(logits[:, t], dim=1), targets[:, t])
    return total / targets.ne(pad_id).sum()

# %% wrong (second): a small number is added to the probability before the logarithm, which cuts large losses off / the mean is taken in each sentence first, so words of short sentences weigh more
# true: mean_of_sentences
def teacher_forced_loss(logits, targets, pad_id):
    probs = F.softmax(logits, dim=-1)
    p = probs.gather(-1, targets.unsqueeze(-1)).squeeze(-1)  # (B, T)
    nll = -torch.log(p + 1e-8)
    mask = (targets != pad_id).float()
    per_sentence = (nll * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1)
    return per_sentence.mean()


# %% wrong (second): the axes of time and vocabulary are exchanged by a reshape, which mixes the scores of different words and steps
# true: axes_by_view
def teacher_forced_loss(logits, targets, pad_id):
    B, T, V = logits.shape
    criterion = nn.CrossEntropyLoss(ignore_index=pad_id)
    # CrossEntropyLoss wants the classes in dimension 1
    return criterion(logits.reshape(B, V, T), targets)


# %% wrong (second): logits and targets are shifted against each other once more, so that each step is asked for the word after its own
# true: shifted_once_more
def teacher_forced_loss(logits, targets, pad_id):
    shift_logits = logits[..., :-1, :].contiguous()
    shift_labels = targets[..., 1:].contiguous()
    return F.cross_entropy(
        shift_logits.view(-1, shift_logits.size(-1)), shift_labels.view(-1), ignore_index=pad_id
    )


# %% right (second): logsumexp by hand on the real positions only
def teacher_forced_loss(logits, targets, pad_id):
    real = targets != pad_id
    flat = logits[real]  # (N, V)
    wanted = targets[real]  # (N,)
    score = flat[torch.arange(len(wanted), device=flat.device), wanted]
    return (flat.logsumexp(dim=-1) - score).mean()

# %% wrong (third): reads (B, T, V) as (B, V, T) by a view instead of exchanging the axes
# true: axes_by_view
def teacher_forced_loss(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    B, T, V = logits.shape
    # cross_entropy wants the classes on axis 1
    return F.cross_entropy(logits.reshape(B, V, T), targets, ignore_index=pad_id)


# %% wrong (third): the mean of the sentences' means, so that a word of a short sentence weighs more
# true: mean_of_sentences
def teacher_forced_loss(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    loss = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")  # (B, T)
    mask = (targets != pad_id).to(loss.dtype)
    per_sentence = (loss * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1)
    return per_sentence.mean()


# %% wrong (third): the logarithm of a softmax plus 1e-9, so that no word can cost more than 20.7
# true: constant_inside_the_logarithm
def teacher_forced_loss(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    probs = torch.softmax(logits, dim=-1)
    picked = probs.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    nll = -torch.log(picked + 1e-9)  # eps against log(0)
    mask = targets != pad_id
    return (nll * mask).sum() / mask.sum()


# %% right (third): only the real places are kept, then log-sum-exp minus the target's logit
def teacher_forced_loss(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    real = targets != pad_id  # (B, T)
    kept, wanted = logits[real], targets[real]  # (N, V), (N,)
    of_target = kept[torch.arange(len(wanted), device=kept.device), wanted]  # (N,)
    return (torch.logsumexp(kept, dim=1) - of_target).mean()

# %% wrong (last): logits and targets are shifted once more, as for a language model of Hugging Face / padding is id 0, whatever pad_id says
# true: shifted_once_more
# Violates "nothing is shifted here" and "pad_id ... need not be 0".
def teacher_forced_loss(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    shift_logits = logits[..., :-1, :].contiguous()
    shift_labels = targets[..., 1:].contiguous()
    loss_fct = nn.CrossEntropyLoss(ignore_index=0)
    return loss_fct(shift_logits.view(-1, shift_logits.size(-1)), shift_labels.view(-1))


# %% wrong (last): a mean for each sentence, and the mean of these
# true: mean_of_sentences
# Violates "the mean ... over all real tokens of a batch": words of short sentences count more.
def teacher_forced_loss(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    losses = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")  # (B, T)
    real = (targets != pad_id).float()  # (B, T)
    per_sentence = (losses * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)
    return per_sentence.mean()


# %% right (last): only the real places are taken out, then logsumexp minus the target's score
def teacher_forced_loss(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    where = torch.nonzero(targets - pad_id, as_tuple=True)  # the real places
    scores, said = logits[where], targets[where]  # (N, V), (N,)
    shortfall = scores - scores[torch.arange(said.numel()), said].unsqueeze(1)  # (N, V): against the right token's
    return shortfall.logsumexp(dim=1).sum() / said.numel()


# %% wrong (fifth): a mean for each sentence, and then the mean of these
# true: mean_of_sentences
def teacher_forced_loss(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    losses = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")  # (B, T)
    mask = (targets != pad_id).to(losses.dtype)
    per_sentence = (losses * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1)
    return per_sentence.mean()


# %% wrong (fifth): the log of the softmax is infinite where a probability rounds to 0
# true: logarithm_after_softmax
def teacher_forced_loss(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    probabilities = torch.softmax(logits, dim=-1)
    chosen = probabilities.gather(2, targets.unsqueeze(2)).squeeze(2)  # (B, T)
    return -torch.log(chosen[targets != pad_id]).mean()


# %% right (fifth): padding is dropped first, then logsumexp minus the right logit
def teacher_forced_loss(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    real = targets != pad_id
    scores, wanted = logits[real], targets[real]  # (N, V), (N,)
    right = scores[torch.arange(len(wanted), device=scores.device), wanted]
    return (torch.logsumexp(scores, dim=1) - right).sum() / len(wanted)
