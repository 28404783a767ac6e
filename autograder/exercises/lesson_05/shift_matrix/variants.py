# %% right: block by block
def shift_matrix(d_model, shift):
    blocks = []
    for i in range(d_model // 2):
        w = shift / 10_000 ** (2 * i / d_model)
        blocks.append(torch.tensor([[math.cos(w), -math.sin(w)], [math.sin(w), math.cos(w)]]))
    return torch.block_diag(*blocks)


# %% right: number by number
def shift_matrix(d_model, shift):
    rows = []
    for r in range(d_model):
        angle = shift / 10000 ** ((r - r % 2) / d_model)
        row = [0.0] * d_model
        row[r] = math.cos(angle)
        if r % 2 == 0:
            row[r + 1] = -math.sin(angle)
        else:
            row[r - 1] = math.sin(angle)
        rows.append(row)
    return torch.tensor(rows)


# %% right: with diagonals
def shift_matrix(d_model, shift):
    w = shift * torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
    gaps = torch.zeros(d_model - 1)
    gaps[0::2] = w.sin()
    return w.cos().repeat_interleave(2).diag() + gaps.diag(-1) - gaps.diag(1)


# %% right: through numpy
def shift_matrix(d_model, shift):
    angles = shift / np.power(10000.0, np.arange(0, d_model, 2) / d_model)
    matrix = np.zeros((d_model // 2, 2, d_model // 2, 2))
    i = np.arange(d_model // 2)
    matrix[i, 0, i, 0] = matrix[i, 1, i, 1] = np.cos(angles)
    matrix[i, 1, i, 0] = np.sin(angles)
    matrix[i, 0, i, 1] = -np.sin(angles)
    return torch.from_numpy(matrix.reshape(d_model, d_model)).to(torch.get_default_dtype())


# %% right: through the exponential of a generator
def shift_matrix(d_model, shift):
    generator = torch.zeros(d_model, d_model, dtype=torch.float64)
    for first in range(0, d_model, 2):
        w = 10_000 ** (-first / d_model)
        generator[first, first + 1], generator[first + 1, first] = -w, w
    return torch.linalg.matrix_exp(shift * generator).to(torch.get_default_dtype())


# %% right: from the encoding itself
def shift_matrix(d_model, shift):
    w = shift * 10_000.0 ** (-torch.arange(0, d_model, 2) / d_model)
    turned = torch.stack([w.cos(), -w.sin(), w.sin(), w.cos()], dim=-1).view(-1, 2, 2)
    return torch.einsum("ij,iab->iajb", torch.eye(d_model // 2), turned).reshape(d_model, d_model)


# %% wrong: written for columns
# true: turned_back
def shift_matrix(d_model, shift):
    matrix = torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        w = shift / 10000 ** (2 * i / d_model)
        c, s = math.cos(w), math.sin(w)
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = torch.tensor([[c, s], [-s, c]])
    return matrix


# %% wrong: sines without a sign
# true: no_minus
def shift_matrix(d_model, shift):
    w = shift * 10000 ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.block_diag(*(torch.stack([torch.stack([x.cos(), x.sin()]), torch.stack([x.sin(), x.cos()])]) for x in w))


# %% wrong: four quarters
# true: halves_instead_of_pairs
def shift_matrix(d_model, shift):
    w = shift / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    cosines, sines = torch.diag(w.cos()), torch.diag(w.sin())
    return torch.cat([torch.cat([cosines, -sines], dim=1), torch.cat([sines, cosines], dim=1)])


# %% wrong: one rotation for all
# true: one_angle_for_all
def shift_matrix(d_model, shift):
    block = torch.tensor([[math.cos(shift), -math.sin(shift)], [math.sin(shift), math.cos(shift)]])
    return torch.block_diag(*[block] * (d_model // 2))


# %% wrong: exponent of the pair
# true: index_not_doubled
def shift_matrix(d_model, shift):
    blocks = []
    for i in range(d_model // 2):
        w = torch.tensor(shift / 10000 ** (i / d_model))
        blocks.append(torch.tensor([[torch.cos(w), -torch.sin(w)], [torch.sin(w), torch.cos(w)]]))
    return torch.block_diag(*blocks)


# %% wrong: one step only
# true: shift_ignored
def shift_matrix(d_model, shift):
    matrix = torch.zeros(d_model, d_model)
    for i in range(0, d_model, 2):
        angle = 1 / 10000 ** (i / d_model)
        matrix[i, i] = matrix[i + 1, i + 1] = math.cos(angle)
        matrix[i + 1, i], matrix[i, i + 1] = math.sin(angle), -math.sin(angle)
    return matrix


# %% wrong: power of the frequency
# true: frequency_to_the_power_of_the_shift
def shift_matrix(d_model, shift):
    matrix = torch.zeros(d_model, d_model)
    for i in range(0, d_model, 2):
        angle = (10000 ** (-i / d_model)) ** shift
        matrix[i, i] = matrix[i + 1, i + 1] = math.cos(angle)
        matrix[i + 1, i], matrix[i, i + 1] = math.sin(angle), -math.sin(angle)
    return matrix


# %% trivial: identity
def shift_matrix(d_model, shift):
    return torch.eye(d_model)


# %% trivial: zeros
def shift_matrix(d_model, shift):
    return torch.zeros(d_model, d_model)


# %% trivial: ones
def shift_matrix(d_model, shift):
    return torch.ones(d_model, d_model)
