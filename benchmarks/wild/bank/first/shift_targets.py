# %% wrong: the two come back in the wrong order, labels first
# true: shifted_the_other_way
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    inputs, labels = target[:, :-1], target[:, 1:]
    return labels, inputs

# %% wrong: the batch is shifted, not the sentence: the last sentence and the first one are cut off
# true: sentences_cut
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    tgt_input = target[:-1]
    tgt_out = target[1:]
    return tgt_input, tgt_out

# %% wrong: nothing is shifted, the labels are what is read
# true: says_what_it_reads
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    inputs = target[:, :-1].clone()
    labels = inputs.clone()
    assert inputs.shape == labels.shape
    return inputs, labels

# %% wrong: the whole target is read and the labels are rolled, so both are one too long and bos is the last label
# true: rolled
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    labels = torch.roll(target, shifts=-1, dims=1)
    return target, labels

# %% wrong: a token too much is cut off at both ends, the label is the token after the next
# true: shifted_twice
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    length = target.size(1)
    inputs = target.narrow(1, 0, length - 2)
    labels = target.narrow(1, 2, length - 2)
    return inputs.contiguous(), labels.contiguous()

# %% wrong: labels of padding become -100, and since they are a view the caller's target is changed too
# true: padding_overwritten_with_minus_100
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    inputs = target[:, :-1].clone()
    labels = target[:, 1:]
    labels[labels == 0] = -100
    return inputs, labels

# %% wrong: the end mark of each sentence is turned into padding among the inputs
# true: end_turned_into_padding
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    inputs, labels = target.clone(), target[:, 1:].clone()
    lengths = (target != 0).sum(dim=1)
    for row, n in enumerate(lengths.tolist()):
        inputs[row, n - 1] = 0  # the decoder never reads eos
    return inputs[:, :-1], labels

# %% wrong: the labels come back as one long row, (B T,)
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    trg = target[:, :-1]
    gold = target[:, 1:].contiguous().view(-1)
    return trg, gold

# %% wrong: time comes first in what is returned, (T, B)
# true: time_first
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    target = target.transpose(0, 1)
    return target[:-1, :], target[1:, :]

# %% wrong: a batch of one sentence loses its first axis
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    inputs = target[:, :-1].squeeze(0)
    labels = target[:, 1:].squeeze(0)
    return inputs, labels

# %% wrong: ids come back as floats / the inputs keep the last token (only the labels are cut)
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    inputs = target.float()
    labels = inputs[:, 1:]
    return inputs, labels

# %% wrong: the shift goes the other way, the token before is asked for
# true: shifted_the_other_way
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    decoder_inputs = target[:, 1:].detach()
    labels = target[:, :-1].detach()
    return decoder_inputs, labels

# %% wrong: the inputs begin with a row of zeros in place of bos
# true: inputs_begin_with_padding
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    labels = target[:, 1:]
    inputs = torch.zeros_like(labels)
    inputs[:, 1:] = labels[:, :-1]
    return inputs, labels

# %% wrong: each row is cut behind its own last real token, so a list comes back / the end mark is missing among the labels
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    inputs, labels = [], []
    for row in target:
        words = row[row != 0]
        inputs.append(words[:-2])
        labels.append(words[1:-1])
    return inputs, labels

# %% right: two slices
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    return target[:, :-1], target[:, 1:]

# %% right: narrow and contiguous copies, an assertion
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    assert target.dim() == 2 and target.size(1) > 1
    T = target.size(1) - 1
    inputs = target.narrow(1, 0, T).contiguous()
    labels = target.narrow(1, 1, T).contiguous()
    return inputs, labels

# %% right: pairs of neighbours by unfold
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    pairs = target.unfold(1, 2, 1)  # (B, T, 2)
    inputs, labels = pairs.unbind(dim=-1)
    return inputs.clone(), labels.clone()

# %% right: labels filled in a loop over places
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    B, longer = target.shape
    inputs = target.new_empty(B, longer - 1)
    labels = target.new_empty(B, longer - 1)
    for t in range(longer - 1):
        inputs[:, t] = target[:, t]
        labels[:, t] = target[:, t + 1]
    return inputs, labels
