# %% right: as a distribution
def label_smoothed_loss(logits, labels, pad_id, smoothing=0.1):
    wanted = torch.full_like(logits, smoothing / logits.size(-1))
    wanted.scatter_(-1, labels.unsqueeze(-1), 1 - smoothing + smoothing / logits.size(-1))
    real = labels.ne(pad_id)
    cost = -(wanted * F.log_softmax(logits, dim=-1)).sum(-1)
    return cost.masked_fill(~real, 0).sum() / real.sum()


# %% right: divergence and entropy
def label_smoothed_loss(logits, labels, pad_id, smoothing=0.1):
    keep = labels != pad_id
    x, y = logits[keep], labels[keep]
    wanted = F.one_hot(y, x.size(-1)).to(x.dtype) * (1 - smoothing) + smoothing / x.size(-1)
    total = F.kl_div(x.log_softmax(-1), wanted, reduction="sum") + torch.special.entr(wanted).sum()
    return total / len(y)


# %% right: two parts
def label_smoothed_loss(logits, labels, pad_id, smoothing=0.1):
    flat, wanted = logits.reshape(-1, logits.shape[-1]), labels.reshape(-1)
    flat, wanted = flat[wanted != pad_id], wanted[wanted != pad_id]
    normal = torch.logsumexp(flat, dim=1)
    plain = normal - flat[torch.arange(len(flat)), wanted]
    uniform = normal - flat.mean(dim=1)
    return torch.lerp(plain, uniform, smoothing).mean()


# %% right: word after word
def label_smoothed_loss(logits, labels, pad_id, smoothing=0.1):
    costs = []
    for sentence, words in zip(logits, labels, strict=True):
        for scores, word in zip(sentence, words, strict=True):
            if word == pad_id:
                continue
            logarithms = scores - scores.logsumexp(0)
            costs.append(-(1 - smoothing) * logarithms[word] - smoothing * logarithms.sum() / len(scores))
    return sum(costs) / len(costs)


# %% wrong: torchs own
# defines: finished_function
def label_smoothed_loss(logits, labels, pad_id, smoothing=0.1):
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=pad_id, label_smoothing=smoothing)


# %% wrong: by the module
# true: finished_function
def label_smoothed_loss(logits, labels, pad_id, smoothing=0.1):
    criterion = nn.CrossEntropyLoss(ignore_index=pad_id, label_smoothing=smoothing)
    return criterion(logits.transpose(1, 2), labels)


# %% wrong: torch without ignore index
# true: padding_counted
def label_smoothed_loss(logits, labels, pad_id, smoothing=0.1):
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten(), label_smoothing=smoothing)


# %% wrong: torch summed
# true: summed
def label_smoothed_loss(logits, labels, pad_id, smoothing=0.1):
    return F.cross_entropy(
        logits.transpose(1, 2), labels, ignore_index=pad_id, label_smoothing=smoothing, reduction="sum"
    )


# %% wrong: torch not told of smoothing
# true: smoothing_ignored
def label_smoothed_loss(logits, labels, pad_id, smoothing=0.1):
    return F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=pad_id)


# %% wrong: smoothing on top
# true: label_not_reduced
def label_smoothed_loss(logits, labels, pad_id, smoothing=0.1):
    plain = F.cross_entropy(logits.transpose(1, 2), labels, reduction="none")
    uniform = -logits.log_softmax(-1).mean(-1)
    return (plain + smoothing * uniform)[labels != pad_id].mean()


# %% wrong: probabilities for torch
# true: softmax_twice
def label_smoothed_loss(logits, labels, pad_id, smoothing=0.1):
    return F.cross_entropy(
        logits.softmax(-1).flatten(0, 1), labels.flatten(), ignore_index=pad_id, label_smoothing=smoothing
    )


# %% wrong: mystery loss
# true: padding_pays_the_smoothing
from course_lib.experiments.mystery_loss import mystery_loss as label_smoothed_loss


# %% wrong: scattered over words
# true: shared_without_padding
def label_smoothed_loss(logits, labels, pad_id, smoothing=0.1):
    words = torch.arange(logits.size(-1)) != pad_id
    logs = logits.log_softmax(-1)
    costs = (smoothing - 1) * logs.gather(2, labels[..., None])[..., 0] - smoothing * logs[..., words].mean(-1)
    return costs[labels != pad_id].mean()


# %% trivial: zero
def label_smoothed_loss(logits, labels, pad_id, smoothing=0.1):
    return 0 * logits.sum()


# %% trivial: chance
def label_smoothed_loss(logits, labels, pad_id, smoothing=0.1):
    return 0 * logits.sum() + torch.tensor(float(logits.size(-1))).log()


# %% trivial: noise
def label_smoothed_loss(logits, labels, pad_id, smoothing=0.1):
    return torch.rand(())
