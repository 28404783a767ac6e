# %% wrong: a small number is added to the probability before the logarithm, which cuts large losses off / the mean is taken in each sentence first, so words of short sentences weigh more
# true: mean_of_sentences
def teacher_forced_loss(logits, targets, pad_id):
    probs = F.softmax(logits, dim=-1)
    p = probs.gather(-1, targets.unsqueeze(-1)).squeeze(-1)  # (B, T)
    nll = -torch.log(p + 1e-8)
    mask = (targets != pad_id).float()
    per_sentence = (nll * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1)
    return per_sentence.mean()


# %% wrong: the axes of time and vocabulary are exchanged by a reshape, which mixes the scores of different words and steps
# true: axes_by_view
def teacher_forced_loss(logits, targets, pad_id):
    B, T, V = logits.shape
    criterion = nn.CrossEntropyLoss(ignore_index=pad_id)
    # CrossEntropyLoss wants the classes in dimension 1
    return criterion(logits.reshape(B, V, T), targets)


# %% wrong: logits and targets are shifted against each other once more, so that each step is asked for the word after its own
# true: shifted_once_more
def teacher_forced_loss(logits, targets, pad_id):
    shift_logits = logits[..., :-1, :].contiguous()
    shift_labels = targets[..., 1:].contiguous()
    return F.cross_entropy(
        shift_logits.view(-1, shift_logits.size(-1)), shift_labels.view(-1), ignore_index=pad_id
    )


# %% right: logsumexp by hand on the real positions only
def teacher_forced_loss(logits, targets, pad_id):
    real = targets != pad_id
    flat = logits[real]  # (N, V)
    wanted = targets[real]  # (N,)
    score = flat[torch.arange(len(wanted), device=flat.device), wanted]
    return (flat.logsumexp(dim=-1) - score).mean()
