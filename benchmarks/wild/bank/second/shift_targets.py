# %% wrong: the end mark is wiped out of the inputs and replaced by padding, with ids 2 and 0 built in
# true: end_turned_into_padding
def shift_targets(target):
    eos_id, pad_id = 2, 0
    inputs = target.clone()
    inputs[inputs == eos_id] = pad_id
    return inputs[:, :-1], target[:, 1:].contiguous()


# %% wrong: padding in the labels is replaced by -100 / the replacement is made through a view, so the caller's target changes too
# true: padding_overwritten_with_minus_100
def shift_targets(target):
    inputs = target[:, :-1].clone()
    labels = target[:, 1:]
    labels[labels == 0] = -100
    return inputs, labels


# %% wrong: the batch axis is cut in place of the time axis, as if time came first
# true: sentences_cut
def shift_targets(target):
    inputs = target[:-1]
    labels = target[1:]
    return inputs.long(), labels.long()


# %% right: torch.roll by one place to the left, then both cut to the same width
def shift_targets(target):
    length = target.shape[1] - 1
    rolled = torch.roll(target, shifts=-1, dims=1)
    return target.narrow(1, 0, length).clone(), rolled[:, :length].clone()
