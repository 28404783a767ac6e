# %% wrong: logits and targets are shifted once more, as for a language model of Hugging Face / padding is id 0, whatever pad_id says
# true: shifted_once_more
# Violates "nothing is shifted here" and "pad_id ... need not be 0".
def teacher_forced_loss(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    shift_logits = logits[..., :-1, :].contiguous()
    shift_labels = targets[..., 1:].contiguous()
    loss_fct = nn.CrossEntropyLoss(ignore_index=0)
    return loss_fct(shift_logits.view(-1, shift_logits.size(-1)), shift_labels.view(-1))


# %% wrong: a mean for each sentence, and the mean of these
# true: mean_of_sentences
# Violates "the mean ... over all real tokens of a batch": words of short sentences count more.
def teacher_forced_loss(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    losses = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")  # (B, T)
    real = (targets != pad_id).float()  # (B, T)
    per_sentence = (losses * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)
    return per_sentence.mean()


# %% right: only the real places are taken out, then logsumexp minus the target's score
def teacher_forced_loss(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    where = torch.nonzero(targets - pad_id, as_tuple=True)  # the real places
    scores, said = logits[where], targets[where]  # (N, V), (N,)
    shortfall = scores - scores[torch.arange(said.numel()), said].unsqueeze(1)  # (N, V): against the right token's
    return shortfall.logsumexp(dim=1).sum() / said.numel()
