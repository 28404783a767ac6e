# %% wrong: padding is masked in the sum, but the sum is divided by all places (mean)
# true: divided_by_all_places
def teacher_forced_loss(logits, targets, pad_id):
    losses = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")
    mask = (targets != pad_id).float()
    return (losses * mask).mean()

# %% wrong: padding counts like any word
# true: padding_counted
def teacher_forced_loss(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    B, T, V = logits.shape
    return F.cross_entropy(logits.reshape(B * T, V), targets.reshape(B * T))

# %% wrong: ignores id 0 and not pad_id
# true: pad_taken_for_0
def teacher_forced_loss(logits, targets, pad_id):
    criterion = nn.CrossEntropyLoss(ignore_index=0)
    return criterion(logits.reshape(-1, logits.size(-1)), targets.reshape(-1))

# %% wrong: each sentence's mean is taken first and then the mean of the sentences
# true: mean_of_sentences
def teacher_forced_loss(logits, targets, pad_id):
    nll = F.cross_entropy(logits.permute(0, 2, 1), targets, reduction="none")  # (B, T)
    real = (targets != pad_id).to(nll.dtype)
    per_sentence = (nll * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)
    return per_sentence.mean()

# %% wrong: the sum is divided by the number of sentences, not of tokens
# true: summed_within_sentences
def teacher_forced_loss(logits, targets, pad_id):
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id, reduction="sum")
    return loss / logits.size(0)

# %% wrong: shifts targets by one although the batch was made shifted
# true: shifted_once_more
def teacher_forced_loss(logits, targets, pad_id):
    logits = logits[:, :-1].contiguous()
    targets = targets[:, 1:].contiguous()
    return F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=pad_id)

# %% wrong: a softmax and then a logarithm, which gives infinity (or nan) for large logits
# true: logarithm_after_softmax
def teacher_forced_loss(logits, targets, pad_id):
    probs = torch.softmax(logits, dim=-1)
    p = probs.gather(2, targets.unsqueeze(2)).squeeze(2)
    crossEntropy = -torch.log(p)
    return crossEntropy.masked_select(targets != pad_id).mean()

# %% wrong: softmax is taken before cross_entropy, which takes it once more
# true: softmax_twice
def teacher_forced_loss(logits, targets, pad_id):
    probabilities = F.softmax(logits, dim=-1)
    return F.cross_entropy(probabilities.reshape(-1, probabilities.shape[-1]), targets.reshape(-1), ignore_index=pad_id)

# %% wrong: exp of the raw logits overflows, no maximum is taken away
# true: exponentials_overflow
def teacher_forced_loss(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    log_z = torch.log(torch.exp(logits).sum(dim=-1))  # (B, T)
    picked = torch.gather(logits, -1, targets[..., None])[..., 0]
    nll = log_z - picked
    keep = targets != pad_id
    return nll[keep].sum() / keep.sum()

# %% wrong: logits are reshaped to (B, V, T) by view in place of a transposition, scores of several steps are mixed
# true: axes_by_view
def teacher_forced_loss(logits, targets, pad_id):
    B, T, V = logits.shape
    return F.cross_entropy(logits.reshape(B, V, T), targets, ignore_index=pad_id)

# %% wrong: the mean is in bits (log base 2), not in nats
# true: in_bits
def teacher_forced_loss(logits, targets, pad_id):
    logp = F.log_softmax(logits, dim=-1) / math.log(2)
    mask = targets.ne(pad_id)
    picked = logp.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    return -(picked * mask).sum() / mask.sum()

# %% wrong: the softmax runs over the time axis
# true: softmax_over_time
def teacher_forced_loss(logits, targets, pad_id):
    log_probs = F.log_softmax(logits, dim=1)
    nll = F.nll_loss(log_probs.flatten(end_dim=1), targets.flatten(), ignore_index=pad_id)
    return nll

# %% wrong: the sign is forgotten, the loss is the mean of log p
# true: sign_forgotten
def teacher_forced_loss(logits, targets, pad_id):
    logp = logits.log_softmax(-1)
    rows = torch.arange(logits.size(0))[:, None]
    cols = torch.arange(logits.size(1))[None, :]
    picked = logp[rows, cols, targets]
    mask = targets != pad_id
    return picked[mask].mean()

# %% wrong: label smoothing of 0.1 is switched on
# true: labels_smoothed
def teacher_forced_loss(logits, targets, pad_id):
    loss_fn = nn.CrossEntropyLoss(ignore_index=pad_id, label_smoothing=0.1)
    return loss_fn(logits.transpose(1, 2), targets)

# %% wrong: the result is made of .item() numbers, it has no gradient and nothing can be trained with it
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

# %% wrong: stops at the first padding of the batch's first sentence, so longer sentences beside it are cut / divides by all places
# true: divided_by_all_places
def teacher_forced_loss(logits, targets, pad_id):
    row = targets[0].tolist()
    T = row.index(pad_id) if pad_id in row else len(row)
    logits, targets = logits[:, :T], targets[:, :T]
    nll = F.cross_entropy(logits.reshape(-1, logits.size(-1)), targets.reshape(-1), reduction="none")
    nll = nll * (targets.reshape(-1) != pad_id)
    return nll.sum() / nll.numel()

# %% wrong: sets the logits of padding places to zero in the caller's tensor / the masked places then count ln V
def teacher_forced_loss(logits, targets, pad_id):
    mask = targets != pad_id
    logits.data[~mask] = 0.0
    return F.cross_entropy(logits.reshape(-1, logits.size(-1)), targets.reshape(-1))

# %% wrong: the padding token's score is taken out of the softmax (set to minus infinity), so the other tokens share its probability
# true: padding_cannot_be_said
def teacher_forced_loss(logits, targets, pad_id):
    logits = logits.clone()
    logits[..., pad_id] = -1e9
    V = logits.size(-1)
    return F.cross_entropy(logits.view(-1, V), targets.reshape(-1), ignore_index=pad_id)

# %% wrong: returns the sum and the number of tokens, not their ratio
def teacher_forced_loss(logits, targets, pad_id):
    nll = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id, reduction="sum")
    return nll, (targets != pad_id).sum()

# %% wrong: divides by the number of all places / exp of the raw logits overflows
# true: divided_by_all_places, exponentials_overflow
def teacher_forced_loss(logits, targets, pad_id):
    p = torch.exp(logits) / torch.exp(logits).sum(-1, keepdim=True)
    nll = -torch.log(torch.gather(p, 2, targets.unsqueeze(2))).squeeze(2)
    nll = torch.where(targets == pad_id, torch.zeros_like(nll), nll)
    return nll.sum() / targets.numel()

# %% wrong: 1e-9 is added inside the logarithm, so very unlikely words cost at most about 21 nats / padding is that of id 0
def teacher_forced_loss(logits, targets, pad_id):
    probs = F.softmax(logits, dim=2)
    picked = probs.gather(2, targets[:, :, None])[:, :, 0]
    keep = (targets > 0).to(logits.dtype)
    return -(torch.log(picked + 1e-9) * keep).sum() / keep.sum()

# %% right: cross_entropy with ignore_index
def teacher_forced_loss(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id)

# %% right: log_softmax and gather, boolean selection
def teacher_forced_loss(logits, targets, pad_id):
    log_probs = torch.log_softmax(logits, dim=-1)
    nll = -log_probs.gather(-1, targets.unsqueeze(-1)).squeeze(-1)  # (B, T)
    return nll[targets != pad_id].mean()

# %% right: logsumexp by hand with the maximum taken away, masked sum over count
def teacher_forced_loss(logits, targets, pad_id):
    top = logits.detach().amax(dim=-1, keepdim=True)
    log_z = (logits - top).exp().sum(-1).log() + top.squeeze(-1)
    onehot = F.one_hot(targets, logits.size(-1)).bool()
    score = logits.masked_fill(~onehot, 0).sum(-1)
    real = (targets != pad_id).to(logits.dtype)
    return ((log_z - score) * real).sum() / real.sum()

# %% right: a loop over the steps, sum of nll_loss, one division at the end
def teacher_forced_loss(logits, targets, pad_id):
    criterion = nn.NLLLoss(ignore_index=pad_id, reduction="sum")
    total = 0
    for t in range(targets.size(1)):
        total = total + criterion(F.log_softmax(logits[:, t], dim=1), targets[:, t])
    return total / targets.ne(pad_id).sum()
