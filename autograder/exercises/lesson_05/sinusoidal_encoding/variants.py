# %% right: stacked and flattened
def sinusoidal_encoding(length, d_model):
    angles = torch.outer(1.0 * torch.arange(length), 10000 ** (-torch.arange(0, d_model, 2) / d_model))
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)[:, :d_model]


# %% right: through exp and log
def sinusoidal_encoding(length, d_model):
    pe = torch.zeros(length, d_model)
    position = torch.arange(0, length, dtype=torch.float).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term[: d_model // 2])
    return pe


# %% right: number by number
def sinusoidal_encoding(length, d_model):
    table = []
    for t in range(length):
        row = []
        for j in range(d_model):
            i = j // 2
            angle = t / 10000 ** (2 * i / d_model)
            row.append(math.sin(angle) if j % 2 == 0 else math.cos(angle))
        table.append(row)
    return torch.tensor(table)


# %% right: through numpy
def sinusoidal_encoding(length, d_model):
    j = np.arange(d_model)
    angles = np.arange(length)[:, None] / np.power(10000.0, (j - j % 2) / d_model)
    return torch.from_numpy(np.where(j % 2 == 0, np.sin(angles), np.cos(angles))).to(torch.get_default_dtype())


# %% right: cosines are early sines
def sinusoidal_encoding(length, d_model):
    j = torch.arange(d_model)
    angles = torch.arange(length).reshape(-1, 1) / torch.pow(10000, 2 * (j // 2) / d_model)
    return torch.sin(angles + (j % 2) * (math.pi / 2))


# %% right: complex numbers
def sinusoidal_encoding(length, d_model):
    angles = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    turned = torch.view_as_real(torch.polar(torch.ones_like(angles), angles))  # (cosine, sine)
    return turned.flip(-1).reshape(length, -1)[:, :d_model]


# %% right: row after row
def sinusoidal_encoding(length, d_model):
    frequencies = torch.tensor([10000 ** (-2 * i / d_model) for i in range((d_model + 1) // 2)])
    rows = []
    for t in range(length):
        row = torch.zeros(d_model)
        row[::2] = (t * frequencies).sin()
        row[1::2] = (t * frequencies).cos()[: d_model // 2]
        rows.append(row)
    return torch.stack(rows)


# %% wrong: base of a hundred
# true: index_not_doubled
def sinusoidal_encoding(length, d_model):
    angles = torch.outer(torch.arange(length).float(), 100.0 ** (-torch.arange(0, d_model, 2) / d_model))
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)[:, :d_model]


# %% wrong: a plus for a product
# true: two_plus_index
def sinusoidal_encoding(length, d_model):
    rows = [[t / 10000 ** (2 + i / d_model) for i in range(1, (d_model + 1) // 2 + 1)] for t in range(length)]
    angles = torch.tensor(rows)
    return torch.stack([angles.sin(), angles.cos()], -1).reshape(length, -1)[:, :d_model]


# %% wrong: pairs flattened
# true: odd_width_too_wide
def sinusoidal_encoding(length, d_model):
    angles = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)


# %% wrong: everything from 1
# true: numbered_from_1, positions_from_1
def sinusoidal_encoding(length, d_model):
    table = torch.empty(length, d_model)
    for t in range(1, length + 1):
        for j in range(d_model):
            angle = t / 10000 ** (2 * (j // 2 + 1) / d_model)
            table[t - 1, j] = math.cos(angle) if j % 2 else math.sin(angle)
    return table


# %% trivial: zeros
def sinusoidal_encoding(length, d_model):
    return torch.zeros(length, d_model)


# %% trivial: first row for all
def sinusoidal_encoding(length, d_model):
    return (torch.arange(d_model) % 2).float().expand(length, d_model)


# %% trivial: the position itself
def sinusoidal_encoding(length, d_model):
    return torch.arange(length).float().unsqueeze(1).expand(length, d_model)


# %% trivial: noise
def sinusoidal_encoding(length, d_model):
    return torch.randn(length, d_model)
