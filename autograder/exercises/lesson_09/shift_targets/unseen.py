# %% wrong (first): the two come back in the wrong order, labels first
# true: shifted_the_other_way
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    inputs, labels = target[:, :-1], target[:, 1:]
    return labels, inputs

# %% wrong (first): the batch is shifted, not the sentence: the last sentence and the first one are cut off
# true: sentences_cut
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    tgt_input = target[:-1]
    tgt_out = target[1:]
    return tgt_input, tgt_out

# %% wrong (first): nothing is shifted, the labels are what is read
# true: says_what_it_reads
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    inputs = target[:, :-1].clone()
    labels = inputs.clone()
    assert inputs.shape == labels.shape
    return inputs, labels

# %% wrong (first): the whole target is read and the labels are rolled, so both are one too long and bos is the last label
# true: rolled
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    labels = torch.roll(target, shifts=-1, dims=1)
    return target, labels

# %% wrong (first): a token too much is cut off at both ends, the label is the token after the next
# true: shifted_twice
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    length = target.size(1)
    inputs = target.narrow(1, 0, length - 2)
    labels = target.narrow(1, 2, length - 2)
    return inputs.contiguous(), labels.contiguous()

# %% wrong (first): labels of padding become -100, and since they are a view the caller's target is changed too
# true: padding_overwritten_with_minus_100
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    inputs = target[:, :-1].clone()
    labels = target[:, 1:]
    labels[labels == 0] = -100
    return inputs, labels

# %% wrong (first): the end mark of each sentence is turned into padding among the inputs
# true: end_turned_into_padding
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    inputs, labels = target.clone(), target[:, 1:].clone()
    lengths = (target != 0).sum(dim=1)
    for row, n in enumerate(lengths.tolist()):
        inputs[row, n - 1] = 0  # the decoder never reads eos
    return inputs[:, :-1], labels

# %% wrong (first): the labels come back as one long row, (B T,)
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    trg = target[:, :-1]
    gold = target[:, 1:].contiguous().view(-1)
    return trg, gold

# %% wrong (first): time comes first in what is returned, (T, B)
# true: time_first
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    target = target.transpose(0, 1)
    return target[:-1, :], target[1:, :]

# %% wrong (first): a batch of one sentence loses its first axis
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    inputs = target[:, :-1].squeeze(0)
    labels = target[:, 1:].squeeze(0)
    return inputs, labels

# %% wrong (first): ids come back as floats / the inputs keep the last token (only the labels are cut)
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    inputs = target.float()
    labels = inputs[:, 1:]
    return inputs, labels

# %% wrong (first): the shift goes the other way, the token before is asked for
# true: shifted_the_other_way
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    decoder_inputs = target[:, 1:].detach()
    labels = target[:, :-1].detach()
    return decoder_inputs, labels

# %% wrong (first): the inputs begin with a row of zeros in place of bos
# true: inputs_begin_with_padding
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    labels = target[:, 1:]
    inputs = torch.zeros_like(labels)
    inputs[:, 1:] = labels[:, :-1]
    return inputs, labels

# %% wrong (first): each row is cut behind its own last real token, so a list comes back / the end mark is missing among the labels
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    inputs, labels = [], []
    for row in target:
        words = row[row != 0]
        inputs.append(words[:-2])
        labels.append(words[1:-1])
    return inputs, labels

# %% right (first): two slices
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    return target[:, :-1], target[:, 1:]

# %% right (first): narrow and contiguous copies, an assertion
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    assert target.dim() == 2 and target.size(1) > 1
    T = target.size(1) - 1
    inputs = target.narrow(1, 0, T).contiguous()
    labels = target.narrow(1, 1, T).contiguous()
    return inputs, labels

# %% right (first): pairs of neighbours by unfold
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    pairs = target.unfold(1, 2, 1)  # (B, T, 2)
    inputs, labels = pairs.unbind(dim=-1)
    return inputs.clone(), labels.clone()

# %% right (first): labels filled in a loop over places
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    B, longer = target.shape
    inputs = target.new_empty(B, longer - 1)
    labels = target.new_empty(B, longer - 1)
    for t in range(longer - 1):
        inputs[:, t] = target[:, t]
        labels[:, t] = target[:, t + 1]
    return inputs, labels

# %% wrong (second): the end mark is wiped out of the inputs and replaced by padding, with ids 2 and 0 built in
# true: end_turned_into_padding
def shift_targets(target):
    eos_id, pad_id = 2, 0
    inputs = target.clone()
    inputs[inputs == eos_id] = pad_id
    return inputs[:, :-1], target[:, 1:].contiguous()


# %% wrong (second): padding in the labels is replaced by -100 / the replacement is made through a view, so the caller's target changes too
# true: padding_overwritten_with_minus_100
def shift_targets(target):
    inputs = target[:, :-1].clone()
    labels = target[:, 1:]
    labels[labels == 0] = -100
    return inputs, labels


# %% wrong (second): the batch axis is cut in place of the time axis, as if time came first
# true: sentences_cut
def shift_targets(target):
    inputs = target[:-1]
    labels = target[1:]
    return inputs.long(), labels.long()


# %% right (second): torch.roll by one place to the left, then both cut to the same width
def shift_targets(target):
    length = target.shape[1] - 1
    rolled = torch.roll(target, shifts=-1, dims=1)
    return target.narrow(1, 0, length).clone(), rolled[:, :length].clone()

# %% wrong (third): shifts the sentences of the batch and not the tokens, as where time is the first axis
# true: sentences_cut
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    trg_input = target[:-1, :]
    trg_output = target[1:, :]
    return trg_input, trg_output


# %% wrong (third): moves everything one place to the right and sets bos in front again: both are T + 1 wide, and read bos bos
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    shifted = target.new_zeros(target.shape)
    shifted[:, 1:] = target[:, :-1].clone()
    shifted[:, 0] = target[:, 0]  # decoder_start_token
    return shifted, target


# %% wrong (third): rolls and does not cut: both are T + 1 wide, and the last place is asked for bos
# true: rolled
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    inputs = target
    labels = torch.roll(target, shifts=-1, dims=1)
    return inputs, labels


# %% right (third): windows of two neighbours, taken apart
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    neighbours = target.unfold(1, 2, 1)  # (B, T, 2): a token, and the one right after it
    inputs, labels = (side.contiguous() for side in neighbours.unbind(dim=-1))  # (B, T) each
    return inputs, labels

# %% wrong (last): BART's and T5's shift_tokens_right, bos is put in front a second time: labels keep bos and the inputs begin bos, bos ("labels lacks bos")
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    labels = target[:, :-1].clone()
    inputs = labels.new_zeros(labels.shape)
    inputs[:, 1:] = labels[:, :-1].clone()
    inputs[:, 0] = target[:, 0]  # decoder_start_token_id
    return inputs, labels


# %% wrong (last): the Hugging Face habit of writing -100 where the labels are padding, which it takes to be 0 ("Padding stays where it is. The loss will take care of it.")
# true: padding_marked_minus_100
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    decoder_input_ids = target[:, :-1].contiguous()
    labels = target[:, 1:].clone()
    labels[labels == 0] = -100
    return decoder_input_ids, labels


# %% right (last): splits one column off, once behind and once in front
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    length = target.size(1) - 1
    inputs, _ = target.split([length, 1], dim=1)
    _, labels = target.split([1, length], dim=1)
    return inputs, labels


# %% wrong (fifth): the inputs drop each sentence's eos (last token that is not 0) instead of the last column
# true: end_turned_into_padding
def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    # the decoder must never read the end mark, so blank out the last real token of each row
    inputs = target.clone()
    last = (target != 0).sum(dim=1) - 1  # (B,)
    inputs[torch.arange(target.size(0)), last] = 0
    return inputs[:, :-1], target[:, 1:]
