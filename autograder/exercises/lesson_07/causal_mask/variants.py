# %% right: lower triangle
def causal_mask(length):
    return torch.tril(torch.ones(length, length, dtype=torch.bool))


# %% right: upper triangle turned round
def causal_mask(length):
    return ~torch.triu(torch.ones((length, length)), diagonal=1).bool()


# %% right: upper triangle is zero
def causal_mask(length):
    blocked = torch.triu(torch.ones(1, length, length), diagonal=1)
    return (blocked == 0)[0]


# %% right: place by place
def causal_mask(length):
    mask = torch.zeros(length, length, dtype=torch.bool)
    for i in range(length):
        for j in range(i + 1):
            mask[i, j] = True
    return mask


# %% right: row by row
def causal_mask(length):
    rows = [[key <= query for key in range(length)] for query in range(length)]
    return torch.tensor(rows)


# %% right: numpys triangle
def causal_mask(length):
    return torch.from_numpy(np.tri(length, dtype=bool))


# %% right: differences
def causal_mask(length):
    i = torch.arange(length).view(-1, 1)
    j = torch.arange(length).view(1, -1)
    return torch.ge(i - j, 0)


# %% wrong: all but the diagonal
# true: others_only
def causal_mask(length):
    return torch.ones(length, length, dtype=torch.bool).fill_diagonal_(False)


# %% trivial: all true
def causal_mask(length):
    return torch.ones(length, length, dtype=torch.bool)


# %% trivial: all false
def causal_mask(length):
    return torch.zeros(length, length, dtype=torch.bool)


# %% trivial: noise
def causal_mask(length):
    return torch.rand(length, length) < 0.5
