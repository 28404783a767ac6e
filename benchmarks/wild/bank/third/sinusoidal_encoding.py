# %% wrong: tensor2tensor's frequencies, which divide the exponents by D/2 - 1, so that the last pair turns by 1/10000
# true: last_exponent_is_one
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    num_timescales = (d_model + 1) // 2
    log_increment = math.log(10_000) / max(num_timescales - 1, 1)
    inv_timescales = torch.exp(torch.arange(num_timescales, dtype=torch.float64) * -log_increment)
    scaled_time = torch.arange(length, dtype=torch.float64)[:, None] * inv_timescales[None]
    signal = torch.stack([scaled_time.sin(), scaled_time.cos()], dim=2).flatten(1)
    return signal[:, :d_model].to(torch.get_default_dtype())


# %% wrong: an odd width fails, for there is one cosine too many / always float32
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    pe = torch.zeros(length, d_model, dtype=torch.float32)
    position = torch.arange(0, length, dtype=torch.float32).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d_model, 2, dtype=torch.float32) * (-math.log(10000.0) / d_model))
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)
    return pe


# %% wrong: each dimension has a frequency of its own, so that a cosine is slower than its sine
# true: frequency_of_each_dimension
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    pos = np.arange(length)[:, np.newaxis]
    dim = np.arange(d_model)[np.newaxis, :]
    angles = pos / np.power(10000, dim / d_model)
    angles[:, 0::2] = np.sin(angles[:, 0::2])
    angles[:, 1::2] = np.cos(angles[:, 1::2])
    return torch.tensor(angles, dtype=torch.get_default_dtype())


# %% right: hands as complex numbers, worked out in float64
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    pairs = -(-d_model // 2)  # rounded up
    step = 10_000.0 ** (-2 * torch.arange(pairs, dtype=torch.float64) / d_model)  # (pairs,): the angle of one position
    angles = torch.outer(torch.arange(length, dtype=torch.float64), step)  # (T, pairs)
    hands = torch.polar(torch.ones_like(angles), angles)  # (T, pairs): cos + i sin
    table = torch.view_as_real(hands).flip(-1).flatten(1)  # (T, 2 * pairs): sin, cos, sin, cos, …
    return table[:, :d_model].to(torch.get_default_dtype()).contiguous()
