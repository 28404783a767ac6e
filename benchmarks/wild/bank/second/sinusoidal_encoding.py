# %% wrong: the even indices are divided by D/2 and not by D, so the exponents are twice as large as they should be
# true: index_doubled_twice
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    pe = torch.zeros(length, d_model)
    position = torch.arange(0, length, dtype=torch.float).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / (d_model / 2)))
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)[:, : d_model // 2]
    return pe

# %% wrong: all sines stand in the first half and all cosines in the second / the frequencies are spread over D/2 - 1 steps, so that the last one is 1/10000
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

# %% wrong: at an odd width there is one cosine more than places for it, and the assignment crashes
# true: odd_width_stops
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    pos = np.arange(length)[:, np.newaxis]
    div = np.power(10000, np.arange(0, d_model, 2) / np.float64(d_model))
    angles = pos / div
    table = np.zeros((length, d_model))
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles)
    return torch.tensor(table, dtype=torch.get_default_dtype())

# %% right: one angle for each dimension in float64, sine or cosine chosen by torch.where
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    dims = torch.arange(d_model)
    exponent = (dims - dims % 2).to(torch.float64) / d_model
    angle = torch.arange(length, dtype=torch.float64).view(-1, 1) / torch.pow(10_000.0, exponent)
    table = torch.where(dims % 2 == 0, angle.sin(), angle.cos())
    return table.to(torch.get_default_dtype())
