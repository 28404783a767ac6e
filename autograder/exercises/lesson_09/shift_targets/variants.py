# %% right: through narrow
def shift_targets(target):
    length = target.size(1) - 1
    return target.narrow(1, 0, length), target.narrow(1, 1, length)


# %% right: by index
def shift_targets(target):
    places = torch.arange(target.shape[1] - 1)
    inputs = torch.index_select(target, 1, places)
    labels = torch.index_select(target, 1, places + 1)
    return inputs, labels


# %% right: from lists
def shift_targets(target):
    rows = target.tolist()
    return torch.tensor([row[:-1] for row in rows]), torch.tensor([row[1:] for row in rows])


# %% right: by splitting
def shift_targets(target):
    first, others = target.tensor_split([1], dim=-1)
    all_but_last = torch.cat([first, others], dim=-1)[..., :-1]
    return all_but_last.clone(), others.contiguous()


# %% right: rolled and cut
def shift_targets(target):
    labels = torch.roll(target, shifts=-1, dims=1)
    return target[:, :-1], labels[:, :-1]


# %% right: through unbind
def shift_targets(target):
    columns = target.unbind(dim=1)
    return torch.stack(columns[:-1], dim=1), torch.stack(columns[1:], dim=1)


# %% wrong: without bos for both
# true: reads_what_it_says
def shift_targets(target):
    words = target[:, 1:]
    return words, words


# %% trivial: zeros
def shift_targets(target):
    return torch.zeros_like(target[:, 1:]), torch.zeros_like(target[:, 1:])


# %% trivial: the target
def shift_targets(target):
    return target[:, :-1] * 1, F.pad(target, (1, 0))[:, :-2]


# %% trivial: ones
def shift_targets(target):
    return torch.ones_like(target[:, 1:]), torch.ones_like(target[:, 1:])
