# %% wrong (fourth): one token more: t - width is seen too
# true: one_too_many
def sliding_window_mask(length: int, width: int) -> Tensor:
    if width < 1:
        raise ValueError(f"width is {width}, but must be at least 1")

    ones = torch.ones(length, length, dtype=torch.bool)
    return torch.tril(ones) & torch.triu(ones, diagonal=-width)


# %% wrong (fourth): open to both sides, as the window of lesson 03
# true: both_sides
def sliding_window_mask(length: int, width: int) -> Tensor:
    if width < 1:
        raise ValueError(f"width is {width}, but must be at least 1")

    i = torch.arange(length)
    return (i[:, None] - i[None, :]).abs() < width


# %% wrong (fourth): sees the width tokens before itself, and not itself
# true: itself_hidden_and_one_further
def sliding_window_mask(length: int, width: int) -> Tensor:
    if width < 1:
        raise ValueError(f"width is {width}, but must be at least 1")

    mask = torch.zeros(length, length, dtype=torch.bool)
    for t in range(length):
        mask[t, max(0, t - width) : t] = True
    return mask


# %% wrong (fourth): looks ahead: itself and the width - 1 tokens after it
# true: looks_ahead
def sliding_window_mask(length: int, width: int) -> Tensor:
    if width < 1:
        raise ValueError(f"width is {width}, but must be at least 1")

    i = torch.arange(length)
    distance = i.unsqueeze(0) - i.unsqueeze(1)
    return (distance >= 0) & (distance < width)


# %% wrong (fourth): True where hidden, as PyTorch's masks
# true: everything_but_the_window
def sliding_window_mask(length: int, width: int) -> Tensor:
    if width < 1:
        raise ValueError(f"width is {width}, but must be at least 1")

    t = torch.arange(length)[:, None]
    s = torch.arange(length)[None, :]
    return (s > t) | (s <= t - width)


# %% wrong (fourth): no error for a width of 0 or less
# true: every_width_accepted
def sliding_window_mask(length: int, width: int) -> Tensor:
    t, s = torch.arange(length).view(-1, 1), torch.arange(length).view(1, -1)
    return (s <= t) & (s > t - width)


# %% wrong (fourth): an error only below 0: a width of 0 hides everything
# true: no_window_accepted
def sliding_window_mask(length: int, width: int) -> Tensor:
    if width < 0:
        raise ValueError("width must be positive")
    t, s = torch.meshgrid(torch.arange(length), torch.arange(length), indexing="ij")
    return torch.logical_and(s <= t, t - s < width)


# %% wrong (fourth): what is added to scores: 0 and minus infinity
def sliding_window_mask(length: int, width: int) -> Tensor:
    if width < 1:
        raise ValueError(f"width is {width}, but must be at least 1")

    mask = torch.full((length, length), float("-inf"))
    for t in range(length):
        mask[t, max(0, t - width + 1) : t + 1] = 0.0
    return mask


# %% wrong (fourth): not causal: the window lies half before and half after the token
# true: centred
def sliding_window_mask(length: int, width: int) -> Tensor:
    if width < 1:
        raise ValueError(f"width is {width}, but must be at least 1")

    half = width // 2
    i = torch.arange(length)
    gap = i[:, None] - i[None, :]
    return (gap <= half) & (gap >= -half)


# %% wrong (fourth): blocks instead of a sliding window: everyone sees its own block so far
# true: blocks
def sliding_window_mask(length: int, width: int) -> Tensor:
    if width < 1:
        raise ValueError(f"width is {width}, but must be at least 1")

    i = torch.arange(length)
    same_block = (i[:, None] // width) == (i[None, :] // width)
    return same_block & torch.ones(length, length, dtype=torch.bool).tril()


# %% wrong (fourth): refuses a window wider than the text
def sliding_window_mask(length: int, width: int) -> Tensor:
    if width < 1 or width > length:
        raise ValueError(f"width must be between 1 and {length}")
    ones = torch.ones(length, length, dtype=torch.bool)
    return ones.tril() & ones.triu(1 - width)


# %% right (fourth): a lower triangle without a smaller one
def sliding_window_mask(length: int, width: int) -> Tensor:
    if width < 1:
        raise ValueError(f"width is {width}, but must be at least 1")

    ones = torch.ones(length, length, dtype=torch.bool)
    return torch.tril(ones) ^ torch.tril(ones, diagonal=-width)


# %% right (fourth): two loops
def sliding_window_mask(length: int, width: int) -> Tensor:
    if width < 1:
        raise ValueError(f"width is {width}, but must be at least 1")

    rows = [[t - width < s <= t for s in range(length)] for t in range(length)]
    return torch.tensor(rows, dtype=torch.bool).reshape(length, length)


# %% right (fourth): the identity, added up along diagonals
def sliding_window_mask(length: int, width: int) -> Tensor:
    if width < 1:
        raise ValueError(f"width is {width}, but must be at least 1")

    mask = torch.zeros(length, length, dtype=torch.bool)
    for back in range(min(width, length)):
        mask |= torch.diag(torch.ones(length - back, dtype=torch.bool), -back)
    return mask


# %% right (fourth): integers' distances by broadcasting, isin a range
def sliding_window_mask(length: int, width: int) -> Tensor:
    if not width >= 1:
        raise ValueError("a window has at least one token")
    back = torch.arange(length).unsqueeze(1) - torch.arange(length)
    return torch.isin(back, torch.arange(width))


# %% wrong (fifth): looks both ways as in Longformer, every position at a distance below the width
# true: both_sides
def sliding_window_mask(length: int, width: int) -> Tensor:
    if width < 1:
        raise ValueError(f"width must be at least 1, not {width}")
    position = torch.arange(length)
    return (position[:, None] - position[None, :]).abs() < width


# %% wrong (fifth): a window wider than the text raises a ValueError, too
def sliding_window_mask(length: int, width: int) -> Tensor:
    if not 1 <= width <= length:
        raise ValueError("width must be between 1 and length")
    ones = torch.ones(length, length, dtype=torch.bool)
    return ones.tril() & ones.triu(-(width - 1))
