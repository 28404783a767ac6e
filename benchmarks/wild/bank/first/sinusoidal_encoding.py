# %% wrong: the loop already counts dimensions in twos and the exponent doubles them once more
# true: index_doubled_twice
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    pe = torch.zeros(length, d_model)
    for pos in range(length):
        for i in range(0, d_model, 2):
            pe[pos, i] = math.sin(pos / (10000 ** ((2 * i) / d_model)))
            if i + 1 < d_model:
                pe[pos, i + 1] = math.cos(pos / (10000 ** ((2 * i) / d_model)))
    return pe

# %% wrong: the cosine has a frequency of its own and not that of its sine
# true: frequency_of_each_dimension
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    position = np.arange(length)[:, None]
    i = np.arange(d_model)[None, :]
    angles = position / np.power(10000, i / np.float32(d_model))
    angles[:, 0::2] = np.sin(angles[:, 0::2])
    angles[:, 1::2] = np.cos(angles[:, 1::2])
    return torch.tensor(angles, dtype=torch.get_default_dtype())

# %% wrong: all sines come first and then all cosines, they do not take turns
# true: halves_concatenated
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    half = (d_model + 1) // 2
    freqs = 10000.0 ** (-2 * torch.arange(half) / d_model)
    angles = torch.arange(length).unsqueeze(1) * freqs
    pe = torch.cat([angles.sin(), angles.cos()], dim=1)
    return pe[:, :d_model]

# %% wrong: an odd width crashes
# true: odd_width_stops
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    pe = torch.zeros(length, d_model)
    position = torch.arange(0, length, dtype=torch.get_default_dtype()).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d_model, 2) * -(math.log(10000.0) / d_model))
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)
    return pe

# %% wrong: positions are multiplied by 10000^(2i/D) where they should be divided
# true: exponent_not_negative
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    pe = torch.zeros(length, d_model)
    position = torch.arange(length, dtype=torch.float64).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d_model, 2, dtype=torch.float64) * (-math.log(10000.0) / d_model))
    pe[:, 0::2] = torch.sin(position / div_term).to(pe.dtype)
    pe[:, 1::2] = torch.cos(position / div_term[: d_model // 2]).to(pe.dtype)
    return pe

# %% wrong: for an odd width the frequencies are those of the next even width, and the last column is cut off
# true: odd_width_rounded_up
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    width = d_model + d_model % 2
    t = torch.arange(length, dtype=torch.float64)[:, None]
    angles = t * 10000.0 ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    pe = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
    return pe[:, :d_model].to(torch.get_default_dtype())

# %% wrong: the exponent is divided in whole numbers, so all pairs turn equally fast
# true: exponent_rounded_down
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    pe = torch.zeros(length, d_model)
    for k in range(d_model):
        i = k // 2
        angle = torch.arange(length, dtype=torch.float64) / 10000 ** (2 * i // d_model)
        pe[:, k] = torch.sin(angle) if k % 2 == 0 else torch.cos(angle)
    return pe

# %% wrong: the frequencies are spread up to 1/10000 itself, over D/2 - 1 steps, as in tensor2tensor
# true: last_exponent_is_one
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    num_timescales = (d_model + 1) // 2
    increment = math.log(1.0e4) / max(num_timescales - 1, 1)
    inv_timescales = torch.exp(torch.arange(num_timescales, dtype=torch.float64) * -increment)
    scaled_time = torch.arange(length, dtype=torch.float64).unsqueeze(1) * inv_timescales.unsqueeze(0)
    signal = torch.stack([torch.sin(scaled_time), torch.cos(scaled_time)], dim=2).reshape(length, -1)
    return signal[:, :d_model].to(torch.get_default_dtype())

# %% wrong: positions count from 1 / the base is 1000
# true: base_1000, positions_from_1
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    PE = torch.zeros((length, d_model))
    pos = torch.arange(1, length + 1).unsqueeze(1)
    denominator = torch.pow(1000, torch.arange(0, d_model, 2) / d_model)
    PE[:, 0::2] = torch.sin(pos / denominator)
    PE[:, 1::2] = torch.cos(pos / denominator[: d_model // 2])
    return PE

# %% wrong: cosines stand in the even dimensions and sines in the odd ones
# true: sine_and_cosine_swapped
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    dtype = torch.get_default_dtype()
    t = torch.arange(length, dtype=torch.float64)[:, None]
    k = torch.arange(d_model)
    angle = t / 10000 ** (2 * (k // 2) / d_model).double()
    return torch.where(k % 2 == 0, angle.cos(), angle.sin()).to(dtype)

# %% wrong: an axis for the batch is left in front
# true: axis_in_front
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    pe = torch.zeros(length, d_model)
    position = torch.arange(length).unsqueeze(1).float()
    div_term = torch.pow(torch.tensor(10000.0), -torch.arange(0, d_model, 2).float() / d_model)
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)[:, : d_model // 2]
    pe = pe.unsqueeze(0)
    return pe

# %% wrong: NumPy's float64 is returned and not torch's default type
# true: double_precision
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    table = np.array([[pos / np.power(10000, 2 * (j // 2) / d_model) for j in range(d_model)] for pos in range(length)])
    table[:, 0::2] = np.sin(table[:, 0::2])
    table[:, 1::2] = np.cos(table[:, 1::2])
    return torch.from_numpy(table)

# %% wrong: the angle has a factor of 2π, so the fastest hand stands still
# true: whole_turns
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    t = 2 * math.pi * torch.arange(length, dtype=torch.float64).unsqueeze(1)
    freq = 1.0 / (10000 ** (torch.arange(0, d_model, 2, dtype=torch.float64) / d_model))
    out = torch.zeros(length, d_model, dtype=torch.float64)
    out[:, 0::2] = torch.sin(t * freq)
    out[:, 1::2] = torch.cos(t * freq[: d_model // 2])
    return out.to(torch.get_default_dtype())

# %% wrong: pairs are numbered from 1, so the fastest is lost
# true: numbered_from_1
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    pe = torch.zeros(length, d_model)
    pos = torch.arange(length, dtype=torch.get_default_dtype())
    for i in range(1, (d_model + 1) // 2 + 1):
        angle = pos / 10000 ** (2 * i / d_model)
        pe[:, 2 * i - 2] = torch.sin(angle)
        if 2 * i - 1 < d_model:
            pe[:, 2 * i - 1] = torch.cos(angle)
    return pe

# %% right: log and exp in float64, cut for odd widths
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    position = torch.arange(length, dtype=torch.float64).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d_model, 2, dtype=torch.float64) * (-math.log(10000.0) / d_model))
    pe = torch.zeros(length, d_model, dtype=torch.float64)
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term[: d_model // 2])
    return pe.to(torch.get_default_dtype())

# %% right: NumPy, angles for every dimension, then sine and cosine in turn
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    pos = np.arange(length)[:, np.newaxis]
    dim = np.arange(d_model)[np.newaxis, :]
    angle = pos / np.power(10000.0, 2 * (dim // 2) / d_model)
    table = np.where(dim % 2 == 0, np.sin(angle), np.cos(angle))
    return torch.tensor(table, dtype=torch.get_default_dtype())

# %% right: plain Python loops with math
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    rows = []
    for t in range(length):
        row = []
        for k in range(d_model):
            angle = t / 10000 ** ((k - k % 2) / d_model)
            row.append(math.cos(angle) if k % 2 else math.sin(angle))
        rows.append(row)
    return torch.tensor(rows, dtype=torch.get_default_dtype()).reshape(length, d_model)

# %% right: a cosine written as a sine with a shifted phase
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    k = torch.arange(d_model)
    rate = torch.pow(torch.tensor(10000.0, dtype=torch.float64), -((k - k % 2).double() / d_model))
    angle = torch.outer(torch.arange(length).double(), rate)
    return torch.sin(angle + (k % 2) * (math.pi / 2)).to(torch.get_default_dtype())
