# %% wrong (fourth): pairs feature i with i + D/2, as LLaMA's rotate_half in Hugging Face
# true: halves_are_pairs
def rotary_embedding(x: Tensor, positions: Tensor) -> Tensor:
    d = x.size(-1)
    inv_freq = 1.0 / (10000 ** (torch.arange(0, d, 2, dtype=x.dtype) / d))
    freqs = torch.outer(positions.to(x.dtype), inv_freq)
    emb = torch.cat((freqs, freqs), dim=-1)
    x1, x2 = x[..., : d // 2], x[..., d // 2 :]
    rotated = torch.cat((-x2, x1), dim=-1)
    return x * emb.cos() + rotated * emb.sin()


# %% wrong (fourth): clockwise
# true: clockwise
def rotary_embedding(x: Tensor, positions: Tensor) -> Tensor:
    d = x.shape[-1]
    theta = 10000.0 ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)
    angle = positions[:, None] * theta
    cos, sin = angle.cos(), angle.sin()
    even, odd = x[..., 0::2], x[..., 1::2]
    out = torch.empty_like(x)
    out[..., 0::2] = even * cos + odd * sin
    out[..., 1::2] = odd * cos - even * sin
    return out


# %% wrong (fourth): the exponent is i/D instead of 2i/D
# true: index_not_doubled
def rotary_embedding(x: Tensor, positions: Tensor) -> Tensor:
    d = x.size(-1)
    i = torch.arange(d // 2, dtype=x.dtype)
    angles = positions.unsqueeze(-1) / 10000 ** (i / d)
    a, b = x[..., ::2], x[..., 1::2]
    cos, sin = torch.cos(angles), torch.sin(angles)
    return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)


# %% wrong (fourth): counts the positions itself, from 0, whatever is given
# true: positions_ignored
def rotary_embedding(x: Tensor, positions: Tensor) -> Tensor:
    seq_len, dim = x.size(-2), x.size(-1)
    freqs = 1.0 / (10000 ** (torch.arange(0, dim, 2, dtype=x.dtype) / dim))
    t = torch.arange(seq_len, dtype=x.dtype)
    angles = torch.outer(t, freqs)
    x1, x2 = x[..., 0::2], x[..., 1::2]
    y1 = x1 * angles.cos() - x2 * angles.sin()
    y2 = x1 * angles.sin() + x2 * angles.cos()
    return torch.stack((y1, y2), dim=-1).reshape(x.shape)


# %% wrong (fourth): all first features of the pairs are laid before all second ones
# true: result_in_halves
def rotary_embedding(x: Tensor, positions: Tensor) -> Tensor:
    D = x.shape[-1]
    freq = torch.exp(-math.log(10000.0) * torch.arange(0, D, 2, dtype=x.dtype) / D)
    angle = positions.unsqueeze(1) * freq
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.cat([a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], dim=-1)


# %% wrong (fourth): the second feature of a pair is turned with the first one that has been turned already
# true: new_first_in_the_second
def rotary_embedding(x: Tensor, positions: Tensor) -> Tensor:
    d = x.size(-1)
    out = x.clone()
    for i in range(d // 2):
        angle = positions.to(x.dtype) / 10000 ** (2 * i / d)
        cos, sin = torch.cos(angle), torch.sin(angle)
        out[..., 2 * i] = out[..., 2 * i] * cos - out[..., 2 * i + 1] * sin
        out[..., 2 * i + 1] = out[..., 2 * i] * sin + out[..., 2 * i + 1] * cos
    return out


# %% wrong (fourth): speeds are laid out in halves though features are paired with their neighbours
# true: angles_in_halves
def rotary_embedding(x: Tensor, positions: Tensor) -> Tensor:
    d = x.size(-1)
    freqs = 10000 ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)
    angles = positions[:, None].to(x.dtype) * freqs[None, :]
    angles = torch.cat([angles, angles], dim=-1)  # (T, D)
    turned = torch.stack([-x[..., 1::2], x[..., ::2]], dim=-1).reshape(x.shape)
    return x * angles.cos() + turned * angles.sin()


# %% wrong (fourth): positions count from 1
# true: positions_from_1
def rotary_embedding(x: Tensor, positions: Tensor) -> Tensor:
    d = x.size(-1)
    theta = 10000 ** (-2 * torch.arange(d // 2, dtype=x.dtype) / d)
    m = (positions + 1).to(x.dtype)
    z = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2).contiguous())
    rotation = torch.polar(torch.ones(len(m), d // 2, dtype=x.dtype), m[:, None] * theta)
    return torch.view_as_real(z * rotation).flatten(-2)


# %% wrong (fourth): float32 comes back, whatever went in
# true: always_single
def rotary_embedding(x: Tensor, positions: Tensor) -> Tensor:
    d = x.shape[-1]
    freqs = 1.0 / (10000.0 ** (torch.arange(0, d, 2).float() / d))
    freqs_cis = torch.polar(torch.ones(len(positions), d // 2), torch.outer(positions.float(), freqs))
    x_ = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(x_ * freqs_cis).flatten(-2)


# %% wrong (fourth): cosines and sines are added, as the sinusoids of lesson 05
def rotary_embedding(x: Tensor, positions: Tensor) -> Tensor:
    d = x.size(-1)
    angle = positions[:, None].to(x.dtype) / 10000 ** (torch.arange(0, d, 2, dtype=x.dtype) / d)
    out = x.clone()
    out[..., 0::2] += torch.cos(angle)
    out[..., 1::2] += torch.sin(angle)
    return out


# %% wrong (fourth): multiplied by the power instead of divided
# true: frequencies_grow
def rotary_embedding(x: Tensor, positions: Tensor) -> Tensor:
    d = x.size(-1)
    angle = positions[:, None].to(x.dtype) * 10000 ** (torch.arange(0, d, 2, dtype=x.dtype) / d)
    even, odd = x[..., 0::2], x[..., 1::2]
    out = torch.zeros_like(x)
    out[..., 0::2] = even * angle.cos() - odd * angle.sin()
    out[..., 1::2] = even * angle.sin() + odd * angle.cos()
    return out


# %% wrong (fourth): a sign is missing in the second line of the rotation
# true: minus_in_both
def rotary_embedding(x: Tensor, positions: Tensor) -> Tensor:
    d = x.size(-1)
    speeds = 10000 ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)
    angle = torch.einsum("t,i->ti", positions.to(x.dtype), speeds)
    a, b = x.unflatten(-1, (-1, 2)).unbind(-1)
    return torch.stack([a * angle.cos() - b * angle.sin(), a * angle.sin() - b * angle.cos()], -1).flatten(-2)


# %% right (fourth): complex numbers, in float64 and back
def rotary_embedding(x: Tensor, positions: Tensor) -> Tensor:
    d = x.size(-1)
    z = torch.view_as_complex(x.double().unflatten(-1, (d // 2, 2)).contiguous())
    speeds = 10000.0 ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    turn = torch.exp(1j * positions.double()[:, None] * speeds)
    return torch.view_as_real(z * turn).flatten(-2).to(x.dtype)


# %% right (fourth): a rotation matrix for each position and pair, and one einsum
def rotary_embedding(x: Tensor, positions: Tensor) -> Tensor:
    pairs = x.shape[-1] // 2
    angle = positions[:, None] / torch.tensor([10000.0 ** (i / pairs) for i in range(pairs)], dtype=torch.float64)
    c, s = angle.cos(), angle.sin()
    R = torch.stack([torch.stack([c, -s], -1), torch.stack([s, c], -1)], -2).to(x.dtype)  # (T, D/2, 2, 2)
    return torch.einsum("tpij,...tpj->...tpi", R, x.reshape(*x.shape[:-1], pairs, 2)).reshape(x.shape)


# %% right (fourth): rotate_every_two, as in GPT-J
def rotary_embedding(x: Tensor, positions: Tensor) -> Tensor:
    dim = x.shape[-1]
    inv_freq = 1.0 / (10000 ** (torch.arange(0, dim, 2, dtype=torch.float64) / dim))
    sinusoid = torch.einsum("i,j->ij", positions.to(torch.float64), inv_freq)
    sin = torch.sin(sinusoid).repeat_interleave(2, dim=-1).to(x.dtype)
    cos = torch.cos(sinusoid).repeat_interleave(2, dim=-1).to(x.dtype)
    rotated = torch.stack((-x[..., 1::2], x[..., 0::2]), dim=-1).flatten(-2)
    return x * cos + rotated * sin


# %% right (fourth): two loops, over positions and pairs, with Python's cosine
def rotary_embedding(x: Tensor, positions: Tensor) -> Tensor:
    D = x.size(-1)
    y = torch.zeros_like(x)
    for row, t in enumerate(positions.tolist()):
        for i in range(0, D, 2):
            phi = t / 10000 ** (i / D)
            a, b = x[..., row, i], x[..., row, i + 1]
            y[..., row, i] = a * math.cos(phi) - b * math.sin(phi)
            y[..., row, i + 1] = a * math.sin(phi) + b * math.cos(phi)
    return y


# %% wrong (fifth): the pairs are turned inside x itself, so the input changes and an expanded x gives an error
# true: changed_in_place
def rotary_embedding(x: Tensor, positions: Tensor) -> Tensor:
    D = x.size(-1)
    speeds = 10000 ** (-torch.arange(0, D, 2, dtype=torch.float64) / D)  # (D / 2,)
    angles = positions.double().unsqueeze(-1) * speeds  # (T, D / 2)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    a, b = x[..., 0::2], x[..., 1::2]
    x[..., 0::2], x[..., 1::2] = a * cos - b * sin, a * sin + b * cos
    return x


# %% wrong (fifth): positions and angles are in the dtype of x, so late positions are rounded if x is bfloat16
def rotary_embedding(x: Tensor, positions: Tensor) -> Tensor:
    width = x.shape[-1]
    i = torch.arange(width // 2, dtype=x.dtype, device=x.device)
    theta = positions.to(x.dtype)[:, None] / 10000 ** (2 * i / width)  # (T, D / 2)
    cos, sin = torch.cos(theta), torch.sin(theta)
    even, odd = x[..., ::2], x[..., 1::2]
    turned = torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1)
    return turned.flatten(start_dim=-2)


# %% right (fifth): each pair is a complex number, multiplied by a number of length 1
def rotary_embedding(x: Tensor, positions: Tensor) -> Tensor:
    half = x.size(-1) // 2
    speed = torch.logspace(0, -4 * (half - 1) / half, half, dtype=torch.float64, device=x.device)  # (D / 2,)
    angle = torch.outer(positions.to(device=x.device, dtype=torch.float64), speed)  # (T, D / 2)
    hands = torch.complex(x[..., 0::2].double(), x[..., 1::2].double())  # (..., T, D / 2)
    turned = hands * torch.polar(torch.ones_like(angle), angle)
    return torch.view_as_real(turned).reshape(x.shape).to(x.dtype)
