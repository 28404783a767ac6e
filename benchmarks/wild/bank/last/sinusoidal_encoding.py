# %% wrong: an odd width is made even first and one column cut off at the end, so its powers are taken over D + 1 ("10000^(2i/D)", D the width)
# true: odd_width_rounded_up
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    even = d_model + d_model % 2
    position = torch.arange(length, dtype=torch.get_default_dtype()).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, even, 2, dtype=torch.get_default_dtype()) * -(math.log(10000.0) / even))
    pe = torch.zeros(length, even)
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)
    return pe[:, :d_model]


# %% wrong: i steps by two already and is doubled again, and the cosine has an exponent of its own (the formula gives sine and cosine of a pair the same 2i/D)
# true: dimension_for_index
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    pe = torch.zeros(length, d_model)
    for pos in range(length):
        for i in range(0, d_model, 2):
            pe[pos, i] = math.sin(pos / (10000 ** ((2 * i) / d_model)))
            if i + 1 < d_model:
                pe[pos, i + 1] = math.cos(pos / (10000 ** ((2 * (i + 1)) / d_model)))
    return pe


# %% right: complex hands e^(i·angle) in float64, imaginary part before real part
def sinusoidal_encoding(length: int, d_model: int) -> Tensor:
    speed = 10_000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)  # (ceil(D / 2),)
    angle = torch.outer(torch.arange(length, dtype=torch.float64), speed)
    hands = torch.view_as_real(torch.polar(torch.ones_like(angle), angle))  # (T, pairs, 2): cosine, sine
    return hands.flip(-1).flatten(1)[:, :d_model].to(torch.get_default_dtype())
