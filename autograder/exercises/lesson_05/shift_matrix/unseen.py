# %% wrong (fifth): the blocks are transposed, as for column vectors, so positions move by -shift
# true: turned_back
def shift_matrix(d_model: int, shift: int) -> Tensor:
    matrix = torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        w = shift / 10000 ** (2 * i / d_model)
        block = torch.tensor([[math.cos(w), math.sin(w)], [-math.sin(w), math.cos(w)]])
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = block
    return matrix


# %% wrong (fifth): laid out for all sines first and all cosines last, not for alternating pairs
# true: halves_instead_of_pairs
def shift_matrix(d_model: int, shift: int) -> Tensor:
    half = d_model // 2
    i = torch.arange(half, dtype=torch.get_default_dtype())
    angles = shift / 10000 ** (2 * i / d_model)
    cos, sin = torch.diag(torch.cos(angles)), torch.diag(torch.sin(angles))
    top = torch.cat([cos, -sin], dim=1)
    bottom = torch.cat([sin, cos], dim=1)
    return torch.cat([top, bottom], dim=0)


# %% wrong (fifth): the exponent is i / D in place of 2i / D
# true: index_not_doubled
def shift_matrix(d_model: int, shift: int) -> Tensor:
    pair = torch.arange(d_model // 2, dtype=torch.get_default_dtype())
    w = shift * 10000.0 ** (-pair / d_model)
    matrix = torch.zeros(d_model, d_model)
    even = torch.arange(0, d_model, 2)
    odd = even + 1
    matrix[even, even] = torch.cos(w)
    matrix[odd, odd] = torch.cos(w)
    matrix[even, odd] = -torch.sin(w)
    matrix[odd, even] = torch.sin(w)
    return matrix


# %% wrong (fifth): the step is repeated range(shift) times, so a negative shift gives the identity
# true: never_back
def shift_matrix(d_model: int, shift: int) -> Tensor:
    step = torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        w = 1 / 10000 ** (2 * i / d_model)
        step[2 * i, 2 * i] = math.cos(w)
        step[2 * i, 2 * i + 1] = -math.sin(w)
        step[2 * i + 1, 2 * i] = math.sin(w)
        step[2 * i + 1, 2 * i + 1] = math.cos(w)
    matrix = torch.eye(d_model)
    for _ in range(shift):
        matrix = matrix @ step
    return matrix


# %% wrong (fifth): built in NumPy and returned as float64, whatever torch's default dtype is
def shift_matrix(d_model: int, shift: int) -> Tensor:
    w = shift / 10000 ** (np.arange(0, d_model, 2) / d_model)
    matrix = np.zeros((d_model, d_model))
    for i, angle in enumerate(w):
        c, s = np.cos(angle), np.sin(angle)
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[c, -s], [s, c]]
    return torch.from_numpy(matrix)


# %% wrong (fifth): cached, so after a change of the default dtype the old dtype comes back
from functools import lru_cache


@lru_cache(maxsize=None)
def shift_matrix(d_model: int, shift: int) -> Tensor:
    blocks = []
    for i in range(d_model // 2):
        w = torch.tensor(shift / 10000 ** (2 * i / d_model))
        blocks.append(torch.stack([torch.stack([w.cos(), -w.sin()]), torch.stack([w.sin(), w.cos()])]))
    return torch.block_diag(*blocks)


# %% wrong (fifth): fitted to the table by least squares: badly off from width 8 on (float64: 16)
def shift_matrix(d_model: int, shift: int) -> Tensor:
    count = 2 * d_model
    table = sinusoidal_encoding(count + abs(shift), d_model)
    if shift >= 0:
        before, after = table[:count], table[shift : shift + count]
    else:
        before, after = table[-shift : -shift + count], table[:count]
    return torch.linalg.lstsq(before, after).solution


# %% wrong (fifth): one step is raised to the power shift entry by entry, right only for shift 1
def shift_matrix(d_model: int, shift: int) -> Tensor:
    angles = 1 / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    one_step = torch.zeros(d_model, d_model)
    one_step[0::2, 0::2] = torch.diag(angles.cos())
    one_step[0::2, 1::2] = torch.diag(-angles.sin())
    one_step[1::2, 0::2] = torch.diag(angles.sin())
    one_step[1::2, 1::2] = torch.diag(angles.cos())
    return one_step**shift


# %% wrong (fifth): stops with an error at width 2, where squeeze leaves a tensor without dimensions
def shift_matrix(d_model: int, shift: int) -> Tensor:
    rates = torch.exp(torch.arange(0, d_model, 2)[None, :] * (-math.log(10000.0) / d_model))
    angles = (shift * rates).squeeze()
    matrix = torch.zeros(d_model, d_model)
    for i, w in enumerate(angles):
        a = 2 * i
        b = a + 1
        matrix[a, a] = matrix[b, b] = torch.cos(w)
        matrix[a, b] = -torch.sin(w)
        matrix[b, a] = torch.sin(w)
    return matrix


# %% wrong (fifth): the minus sign in the upper right corner of each block is missing
# true: no_minus
def shift_matrix(d_model: int, shift: int) -> Tensor:
    def block(i):
        w = shift / 10000 ** (2 * i / d_model)
        c, s = math.cos(w), math.sin(w)
        return torch.tensor([[c, s], [s, c]])

    return torch.block_diag(*[block(i) for i in range(d_model // 2)])


# %% right (fifth): two by two blocks in a list, put together by block_diag
def shift_matrix(d_model: int, shift: int) -> Tensor:
    blocks = []
    for dimension in range(0, d_model, 2):
        w = shift * 10_000 ** (-dimension / d_model)
        blocks.append(torch.tensor([[math.cos(w), -math.sin(w)], [math.sin(w), math.cos(w)]]))
    return torch.block_diag(*blocks)


# %% right (fifth): the sum of three diagonals, the outer two with zeros between the pairs
def shift_matrix(d_model: int, shift: int) -> Tensor:
    exponents = torch.arange(0, d_model, 2, dtype=torch.float64) / d_model
    w = shift * torch.pow(10000.0, -exponents)
    beside = torch.zeros(d_model, dtype=torch.float64)
    beside[::2] = w.sin()
    beside = beside[:-1]
    full = torch.diag(w.cos().repeat_interleave(2)) - torch.diag(beside, 1) + torch.diag(beside, -1)
    return full.to(torch.get_default_dtype())


# %% right (fifth): entry by entry in plain Python, then one call of torch.tensor
def shift_matrix(d_model: int, shift: int) -> Tensor:
    def entry(row: int, column: int) -> float:
        if row // 2 != column // 2:
            return 0.0
        angle = shift / 10000 ** (2 * (row // 2) / d_model)
        if row == column:
            return math.cos(angle)
        return math.sin(angle) if row > column else -math.sin(angle)

    return torch.tensor([[entry(row, column) for column in range(d_model)] for row in range(d_model)])


# %% right (fifth): the matrix exponential of the generator of all turns, in float64, then cast
def shift_matrix(d_model: int, shift: int) -> Tensor:
    generator = torch.zeros(d_model, d_model, dtype=torch.float64)
    for i in range(d_model // 2):
        rate = 10000.0 ** (-2 * i / d_model)
        generator[2 * i, 2 * i + 1] = -rate
        generator[2 * i + 1, 2 * i] = rate
    return torch.matrix_exp(shift * generator).to(torch.get_default_dtype())
