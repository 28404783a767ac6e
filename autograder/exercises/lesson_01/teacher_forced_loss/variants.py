# %% right: torchs cross entropy
def teacher_forced_loss(logits, targets, pad_id):
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id)


# %% right: transposed cross entropy
def teacher_forced_loss(logits, targets, pad_id):
    return nn.CrossEntropyLoss(ignore_index=pad_id)(logits.transpose(1, 2), targets)


# %% right: weighted sum
def teacher_forced_loss(logits, targets, pad_id):
    mask = (targets != pad_id).to(logits.dtype)
    losses = F.cross_entropy(logits.mT, targets, reduction="none")
    return (losses * mask).sum() / mask.sum()


# %% right: one hot
def teacher_forced_loss(logits, targets, pad_id):
    right = F.one_hot(targets, logits.size(-1)).to(logits.dtype) * (targets != pad_id)[..., None]
    return -(right * F.log_softmax(logits, dim=2)).sum() / right.sum()


# %% right: logsumexp
def teacher_forced_loss(logits, targets, pad_id):
    keep = targets.ne(pad_id)
    logits, targets = logits[keep], targets[keep]
    return (torch.logsumexp(logits, dim=-1) - logits[torch.arange(len(targets)), targets]).mean()


# %% right: word by word
def teacher_forced_loss(logits, targets, pad_id):
    total, count = 0.0, 0
    for scores, words in zip(logits, targets):  # noqa: B905
        for row, word in zip(scores, words):  # noqa: B905
            if word != pad_id:
                total = total + math.log(1.0) - row.log_softmax(dim=0)[word]
                count += 1
    return total / count


# %% right: negative likelihood
def teacher_forced_loss(logits, targets, pad_id):
    return F.nll_loss(logits.log_softmax(-1).reshape(-1, logits.size(-1)), targets.reshape(-1), ignore_index=pad_id)


# %% wrong: torchs sum
# true: summed
def teacher_forced_loss(logits, targets, pad_id):
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id, reduction="sum")


# %% wrong: as a new tensor
# true: plain_number
def teacher_forced_loss(logits, targets, pad_id):
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id)
    return torch.tensor(loss.item(), dtype=logits.dtype)


# %% trivial: zero
def teacher_forced_loss(logits, targets, pad_id):
    return (logits * 0).sum()


# %% trivial: guessing
def teacher_forced_loss(logits, targets, pad_id):
    return torch.tensor(float(logits.size(-1)), dtype=logits.dtype).log()


# %% trivial: mean of the logits
def teacher_forced_loss(logits, targets, pad_id):
    return logits.mean()


# %% trivial: noise
def teacher_forced_loss(logits, targets, pad_id):
    return torch.rand((), dtype=logits.dtype)
