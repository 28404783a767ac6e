# %% right: two triangles
def sliding_window_mask(length, width):
    if width <= 0:
        raise ValueError("width must be positive")
    ones = torch.ones(length, length, dtype=torch.bool)
    return ones.tril() & ones.triu(1 - width)


# %% right: less a triangle
def sliding_window_mask(length, width):
    if width < 1:
        raise ValueError(width)
    past = torch.tril(torch.ones(length, length))
    return (past - torch.tril(past, diagonal=-width)) == 1


# %% right: row by row
def sliding_window_mask(length, width):
    if not width >= 1:
        raise ValueError("an empty window")
    mask = torch.zeros(length, length, dtype=torch.bool)
    for t in range(length):
        mask[t, max(0, t - width + 1) : t + 1] = True
    return mask


# %% right: in plain python
def sliding_window_mask(length, width):
    if width < 1:
        raise ValueError("no key is left")
    return torch.tensor([[s <= t and s > t - width for s in range(length)] for t in range(length)])


# %% right: numpys bands
def sliding_window_mask(length, width):
    if width < 1:
        raise ValueError("a window needs a token")
    return torch.from_numpy(np.tri(length, dtype=bool) & ~np.tri(length, k=-width, dtype=bool))


# %% right: diagonals added up
def sliding_window_mask(length, width):
    if width < 1:
        raise ValueError("width")
    mask = torch.zeros(length, length)
    for back in range(min(width, length)):
        mask += torch.diag(torch.ones(length - back), -back)
    return mask > 0


# %% wrong: plain triangle
# true: whole_past
def sliding_window_mask(length, width):
    if width < 1:
        raise ValueError(width)
    return torch.ones(length, length, dtype=torch.bool).tril()


# %% wrong: triangles of whole numbers
# true: numbers_not_booleans
def sliding_window_mask(length, width):
    if width < 1:
        raise ValueError(width)
    ones = torch.ones(length, length, dtype=torch.int32)
    return ones.tril() * ones.triu(1 - width)


# %% trivial: all true
def sliding_window_mask(length, width):
    return torch.ones(length, length, dtype=torch.bool)


# %% trivial: only itself
def sliding_window_mask(length, width):
    return torch.eye(length, dtype=torch.bool)


# %% trivial: noise
def sliding_window_mask(length, width):
    return torch.rand(length, length) < 0.5
