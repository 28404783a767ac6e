# %% wrong: it is the KL divergence from the smoothed labels, so their entropy is missing from the loss
# true: divergence
def label_smoothed_loss(logits, labels, pad_id, smoothing=0.1):
    vocab = logits.size(-1)
    log_probs = torch.log_softmax(logits, dim=-1)
    target = torch.full_like(log_probs, smoothing / vocab)
    target.scatter_(-1, labels.unsqueeze(-1), 1.0 - smoothing + smoothing / vocab)
    loss = F.kl_div(log_probs, target, reduction="none").sum(-1)
    keep = labels.ne(pad_id)
    return loss.masked_select(keep).mean()


# %% wrong: each sentence is averaged by itself and then the sentences, so a word of a short sentence counts more
# true: mean_of_sentence_means
def label_smoothed_loss(logits, labels, pad_id, smoothing=0.1):
    log_p = torch.log_softmax(logits, dim=-1)
    nll = -log_p.gather(2, labels[:, :, None])[:, :, 0]
    uniform = -log_p.mean(dim=2)
    loss = (1 - smoothing) * nll + smoothing * uniform
    real = (labels != pad_id).float()
    per_sentence = (loss * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)
    return per_sentence.mean()


# %% wrong: it is worked out in numpy and wrapped as a new tensor, so no gradient flows back to the logits
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


# %% right: only the real rows are picked out first, then one product with the smoothed one-hot labels
def label_smoothed_loss(logits, labels, pad_id, smoothing=0.1):
    keep = labels.reshape(-1) != pad_id
    rows = logits.reshape(-1, logits.shape[-1])[keep]
    gold = labels.reshape(-1)[keep]
    soft = F.one_hot(gold, rows.shape[-1]).to(rows.dtype) * (1.0 - smoothing) + smoothing / rows.shape[-1]
    return -(soft * torch.log_softmax(rows, dim=-1)).sum(dim=-1).mean()
