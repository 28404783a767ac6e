# %% wrong (first): the loop already counts dimensions in twos and the exponent doubles them once more
# true: index_doubled_twice
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    pe = torch.zeros(length, d_model)
    for pos in range(length):
        for i in range(0, d_model, 2):
            pe[pos, i] = math.sin(pos / (10000 ** ((2 * i) / d_model)))
            if i + 1 < d_model:
                pe[pos, i + 1] = math.cos(pos / (10000 ** ((2 * i) / d_model)))
    return pe

# %% wrong (first): the cosine has a frequency of its own and not that of its sine
# true: frequency_of_each_dimension
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    position = np.arange(length)[:, None]
    i = np.arange(d_model)[None, :]
    angles = position / np.power(10000, i / np.float32(d_model))
    angles[:, 0::2] = np.sin(angles[:, 0::2])
    angles[:, 1::2] = np.cos(angles[:, 1::2])
    return torch.tensor(angles, dtype=torch.get_default_dtype())

# %% wrong (first): all sines come first and then all cosines, they do not take turns
# true: halves_concatenated
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    half = (d_model + 1) // 2
    freqs = 10000.0 ** (-2 * torch.arange(half) / d_model)
    angles = torch.arange(length).unsqueeze(1) * freqs
    pe = torch.cat([angles.sin(), angles.cos()], dim=1)
    return pe[:, :d_model]

# %% wrong (first): an odd width crashes
# true: odd_width_stops
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    pe = torch.zeros(length, d_model)
    position = torch.arange(0, length, dtype=torch.get_default_dtype()).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d_model, 2) * -(math.log(10000.0) / d_model))
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)
    return pe

# %% wrong (first): positions are multiplied by 10000^(2i/D) where they should be divided
# true: exponent_not_negative
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    pe = torch.zeros(length, d_model)
    position = torch.arange(length, dtype=torch.float64).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d_model, 2, dtype=torch.float64) * (-math.log(10000.0) / d_model))
    pe[:, 0::2] = torch.sin(position / div_term).to(pe.dtype)
    pe[:, 1::2] = torch.cos(position / div_term[: d_model // 2]).to(pe.dtype)
    return pe

# %% wrong (first): for an odd width the frequencies are those of the next even width, and the last column is cut off
# true: odd_width_rounded_up
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    width = d_model + d_model % 2
    t = torch.arange(length, dtype=torch.float64)[:, None]
    angles = t * 10000.0 ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    pe = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
    return pe[:, :d_model].to(torch.get_default_dtype())

# %% wrong (first): the exponent is divided in whole numbers, so all pairs turn equally fast
# true: exponent_rounded_down
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    pe = torch.zeros(length, d_model)
    for k in range(d_model):
        i = k // 2
        angle = torch.arange(length, dtype=torch.float64) / 10000 ** (2 * i // d_model)
        pe[:, k] = torch.sin(angle) if k % 2 == 0 else torch.cos(angle)
    return pe

# %% wrong (first): the frequencies are spread up to 1/10000 itself, over D/2 - 1 steps, as in tensor2tensor
# true: last_exponent_is_one
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    num_timescales = (d_model + 1) // 2
    increment = math.log(1.0e4) / max(num_timescales - 1, 1)
    inv_timescales = torch.exp(torch.arange(num_timescales, dtype=torch.float64) * -increment)
    scaled_time = torch.arange(length, dtype=torch.float64).unsqueeze(1) * inv_timescales.unsqueeze(0)
    signal = torch.stack([torch.sin(scaled_time), torch.cos(scaled_time)], dim=2).reshape(length, -1)
    return signal[:, :d_model].to(torch.get_default_dtype())

# %% wrong (first): positions count from 1 / the base is 1000
# true: base_1000, positions_from_1
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    PE = torch.zeros((length, d_model))
    pos = torch.arange(1, length + 1).unsqueeze(1)
    denominator = torch.pow(1000, torch.arange(0, d_model, 2) / d_model)
    PE[:, 0::2] = torch.sin(pos / denominator)
    PE[:, 1::2] = torch.cos(pos / denominator[: d_model // 2])
    return PE

# %% wrong (first): cosines stand in the even dimensions and sines in the odd ones
# true: sine_and_cosine_swapped
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    dtype = torch.get_default_dtype()
    t = torch.arange(length, dtype=torch.float64)[:, None]
    k = torch.arange(d_model)
    angle = t / 10000 ** (2 * (k // 2) / d_model).double()
    return torch.where(k % 2 == 0, angle.cos(), angle.sin()).to(dtype)

# %% wrong (first): an axis for the batch is left in front
# true: axis_in_front
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    pe = torch.zeros(length, d_model)
    position = torch.arange(length).unsqueeze(1).float()
    div_term = torch.pow(torch.tensor(10000.0), -torch.arange(0, d_model, 2).float() / d_model)
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)[:, : d_model // 2]
    pe = pe.unsqueeze(0)
    return pe

# %% wrong (first): NumPy's float64 is returned and not torch's default type
# true: double_precision
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    table = np.array([[pos / np.power(10000, 2 * (j // 2) / d_model) for j in range(d_model)] for pos in range(length)])
    table[:, 0::2] = np.sin(table[:, 0::2])
    table[:, 1::2] = np.cos(table[:, 1::2])
    return torch.from_numpy(table)

# %% wrong (first): the angle has a factor of 2π, so the fastest hand stands still
# true: whole_turns
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    t = 2 * math.pi * torch.arange(length, dtype=torch.float64).unsqueeze(1)
    freq = 1.0 / (10000 ** (torch.arange(0, d_model, 2, dtype=torch.float64) / d_model))
    out = torch.zeros(length, d_model, dtype=torch.float64)
    out[:, 0::2] = torch.sin(t * freq)
    out[:, 1::2] = torch.cos(t * freq[: d_model // 2])
    return out.to(torch.get_default_dtype())

# %% wrong (first): pairs are numbered from 1, so the fastest is lost
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

# %% right (first): log and exp in float64, cut for odd widths
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    position = torch.arange(length, dtype=torch.float64).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d_model, 2, dtype=torch.float64) * (-math.log(10000.0) / d_model))
    pe = torch.zeros(length, d_model, dtype=torch.float64)
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term[: d_model // 2])
    return pe.to(torch.get_default_dtype())

# %% right (first): NumPy, angles for every dimension, then sine and cosine in turn
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    pos = np.arange(length)[:, np.newaxis]
    dim = np.arange(d_model)[np.newaxis, :]
    angle = pos / np.power(10000.0, 2 * (dim // 2) / d_model)
    table = np.where(dim % 2 == 0, np.sin(angle), np.cos(angle))
    return torch.tensor(table, dtype=torch.get_default_dtype())

# %% right (first): plain Python loops with math
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    rows = []
    for t in range(length):
        row = []
        for k in range(d_model):
            angle = t / 10000 ** ((k - k % 2) / d_model)
            row.append(math.cos(angle) if k % 2 else math.sin(angle))
        rows.append(row)
    return torch.tensor(rows, dtype=torch.get_default_dtype()).reshape(length, d_model)

# %% right (first): a cosine written as a sine with a shifted phase
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    k = torch.arange(d_model)
    rate = torch.pow(torch.tensor(10000.0, dtype=torch.float64), -((k - k % 2).double() / d_model))
    angle = torch.outer(torch.arange(length).double(), rate)
    return torch.sin(angle + (k % 2) * (math.pi / 2)).to(torch.get_default_dtype())

# %% wrong (second): the even indices are divided by D/2 and not by D, so the exponents are twice as large as they should be
# true: index_doubled_twice
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    pe = torch.zeros(length, d_model)
    position = torch.arange(0, length, dtype=torch.float).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / (d_model / 2)))
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)[:, : d_model // 2]
    return pe

# %% wrong (second): all sines stand in the first half and all cosines in the second / the frequencies are spread over D/2 - 1 steps, so that the last one is 1/10000
# true: timing_signal
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    num_timescales = d_model // 2
    increment = math.log(10000.0) / max(num_timescales - 1, 1)
    inv = torch.exp(torch.arange(num_timescales, dtype=torch.get_default_dtype()) * -increment)
    scaled = torch.arange(length, dtype=torch.get_default_dtype())[:, None] * inv[None, :]
    signal = torch.cat([torch.sin(scaled), torch.cos(scaled)], dim=1)
    if d_model % 2 == 1:
        signal = F.pad(signal, (0, 1))
    return signal

# %% wrong (second): at an odd width there is one cosine more than places for it, and the assignment crashes
# true: odd_width_stops
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    pos = np.arange(length)[:, np.newaxis]
    div = np.power(10000, np.arange(0, d_model, 2) / np.float64(d_model))
    angles = pos / div
    table = np.zeros((length, d_model))
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles)
    return torch.tensor(table, dtype=torch.get_default_dtype())

# %% right (second): one angle for each dimension in float64, sine or cosine chosen by torch.where
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    dims = torch.arange(d_model)
    exponent = (dims - dims % 2).to(torch.float64) / d_model
    angle = torch.arange(length, dtype=torch.float64).view(-1, 1) / torch.pow(10_000.0, exponent)
    table = torch.where(dims % 2 == 0, angle.sin(), angle.cos())
    return table.to(torch.get_default_dtype())

# %% wrong (third): tensor2tensor's frequencies, which divide the exponents by D/2 - 1, so that the last pair turns by 1/10000
# true: last_exponent_is_one
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    num_timescales = (d_model + 1) // 2
    log_increment = math.log(10_000) / max(num_timescales - 1, 1)
    inv_timescales = torch.exp(torch.arange(num_timescales, dtype=torch.float64) * -log_increment)
    scaled_time = torch.arange(length, dtype=torch.float64)[:, None] * inv_timescales[None]
    signal = torch.stack([scaled_time.sin(), scaled_time.cos()], dim=2).flatten(1)
    return signal[:, :d_model].to(torch.get_default_dtype())


# %% wrong (third): an odd width fails, for there is one cosine too many / always float32
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    pe = torch.zeros(length, d_model, dtype=torch.float32)
    position = torch.arange(0, length, dtype=torch.float32).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d_model, 2, dtype=torch.float32) * (-math.log(10000.0) / d_model))
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)
    return pe


# %% wrong (third): each dimension has a frequency of its own, so that a cosine is slower than its sine
# true: frequency_of_each_dimension
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    pos = np.arange(length)[:, np.newaxis]
    dim = np.arange(d_model)[np.newaxis, :]
    angles = pos / np.power(10000, dim / d_model)
    angles[:, 0::2] = np.sin(angles[:, 0::2])
    angles[:, 1::2] = np.cos(angles[:, 1::2])
    return torch.tensor(angles, dtype=torch.get_default_dtype())


# %% right (third): hands as complex numbers, worked out in float64
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    pairs = -(-d_model // 2)  # rounded up
    step = 10_000.0 ** (-2 * torch.arange(pairs, dtype=torch.float64) / d_model)  # (pairs,): the angle of one position
    angles = torch.outer(torch.arange(length, dtype=torch.float64), step)  # (T, pairs)
    hands = torch.polar(torch.ones_like(angles), angles)  # (T, pairs): cos + i sin
    table = torch.view_as_real(hands).flip(-1).flatten(1)  # (T, 2 * pairs): sin, cos, sin, cos, …
    return table[:, :d_model].to(torch.get_default_dtype()).contiguous()

# %% wrong (last): an odd width is made even first and one column cut off at the end, so its powers are taken over D + 1 ("10000^(2i/D)", D the width)
# true: odd_width_rounded_up
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    even = d_model + d_model % 2
    position = torch.arange(length, dtype=torch.get_default_dtype()).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, even, 2, dtype=torch.get_default_dtype()) * -(math.log(10000.0) / even))
    pe = torch.zeros(length, even)
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)
    return pe[:, :d_model]


# %% wrong (last): i steps by two already and is doubled again, and the cosine has an exponent of its own (the formula gives sine and cosine of a pair the same 2i/D)
# true: dimension_for_index
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    pe = torch.zeros(length, d_model)
    for pos in range(length):
        for i in range(0, d_model, 2):
            pe[pos, i] = math.sin(pos / (10000 ** ((2 * i) / d_model)))
            if i + 1 < d_model:
                pe[pos, i + 1] = math.cos(pos / (10000 ** ((2 * (i + 1)) / d_model)))
    return pe


# %% right (last): complex hands e^(i·angle) in float64, imaginary part before real part
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    speed = 10_000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)  # (ceil(D / 2),)
    angle = torch.outer(torch.arange(length, dtype=torch.float64), speed)
    hands = torch.view_as_real(torch.polar(torch.ones_like(angle), angle))  # (T, pairs, 2): cosine, sine
    return hands.flip(-1).flatten(1)[:, :d_model].to(torch.get_default_dtype())


# %% wrong (fifth): stops with an error if the width is odd: one cosine column too many
# true: odd_width_stops
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    pe = torch.zeros(length, d_model)
    position = torch.arange(0, length).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d_model, 2) * -(math.log(10000.0) / d_model))
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)
    return pe


# %% wrong (fifth): all sines come first and then all cosines
# true: halves_concatenated
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    t = torch.arange(length, dtype=torch.get_default_dtype())[:, None]
    i = torch.arange((d_model + 1) // 2)
    angles = t / 10000 ** (2 * i / d_model)
    return torch.cat([angles.sin(), angles.cos()], dim=1)[:, :d_model]


# %% wrong (fifth): as in tensor2tensor, exponent i / (D/2 - 1), so the last hand turns by 1/10000
# true: last_exponent_is_one
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    num_timescales = (d_model + 1) // 2
    increment = math.log(10000.0) / max(num_timescales - 1, 1)
    rates = torch.exp(-increment * torch.arange(num_timescales))
    angles = torch.arange(length)[:, None] * rates
    table = torch.zeros(length, d_model)
    table[:, 0::2] = torch.sin(angles)
    table[:, 1::2] = torch.cos(angles[:, : d_model // 2])
    return table


# %% right (fifth): one sine for all dimensions, the odd ones a quarter turn ahead, in float64, cast
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    dimension = torch.arange(d_model)
    pair = dimension.div(2, rounding_mode="floor").double()
    position = torch.arange(length, dtype=torch.float64)
    angle = torch.outer(position, torch.pow(10000.0, -2 * pair / d_model))
    quarter_turns = dimension.remainder(2).double()
    return torch.sin(angle + quarter_turns * math.pi / 2).to(torch.get_default_dtype())
