# %% right: complex numbers
def rotary_embedding(x, positions):
    freqs = 1.0 / 10000 ** (torch.arange(0, x.shape[-1], 2).to(x.dtype) / x.shape[-1])
    angles = torch.outer(positions.to(x.dtype), freqs)
    turn = torch.polar(torch.ones_like(angles), angles)
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2).contiguous())
    return torch.view_as_real(pairs * turn).flatten(-2)


# %% right: rotate neighbours
def rotary_embedding(x, positions):
    theta = torch.pow(10000.0, -torch.arange(0, x.size(-1), 2, dtype=x.dtype) / x.size(-1)).repeat_interleave(2)
    angles = positions[:, None].to(x.dtype) * theta
    crossed = torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).reshape(x.shape)
    return x * angles.cos() + crossed * angles.sin()


# %% right: into an empty tensor
def rotary_embedding(x, positions):
    d = x.shape[-1]
    out = torch.empty_like(x)
    for i in range(d // 2):
        angle = positions / 10000 ** (2 * i / d)
        c, s = torch.cos(angle).to(x.dtype), torch.sin(angle).to(x.dtype)
        a, b = x[..., 2 * i], x[..., 2 * i + 1]
        out[..., 2 * i] = a * c - b * s
        out[..., 2 * i + 1] = a * s + b * c
    return out


# %% right: two by two matrices
def rotary_embedding(x, positions):
    i = torch.arange(x.size(-1) // 2, dtype=x.dtype)
    angles = positions.to(x.dtype)[:, None] * 10000 ** (-2 * i / x.size(-1))
    c, s = angles.cos(), angles.sin()
    matrices = torch.stack([torch.stack([c, -s], -1), torch.stack([s, c], -1)], -2)  # (T, D / 2, 2, 2)
    pairs = x.unflatten(-1, (-1, 2))
    return torch.einsum("tiab,...tib->...tia", matrices, pairs).flatten(-2)


# %% right: one matrix for each position
def rotary_embedding(x, positions):
    d = x.size(-1)
    rows = []
    for n, t in enumerate(positions.tolist()):
        angles = [t * math.exp(-math.log(10000) * 2 * i / d) for i in range(d // 2)]
        blocks = [torch.tensor([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]]) for a in angles]
        rows.append(x[..., n, :] @ torch.block_diag(*blocks).to(x.dtype))
    return torch.stack(rows, dim=-2)


# %% wrong: angles laid out for halves
# defines: angles_in_halves
def rotary_embedding(x, positions):
    width = x.size(-1)
    angles = positions.unsqueeze(-1) * 10_000.0 ** (-torch.arange(0, width, 2, dtype=x.dtype) / width)
    angles = torch.cat([angles, angles], dim=-1)
    crossed = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)
    return x * torch.cos(angles) + crossed * torch.sin(angles)


# %% wrong: as many angles as features
# defines: an_angle_for_each_feature
def rotary_embedding(x, positions):
    width = x.size(-1)
    angles = positions.unsqueeze(-1) * 10_000.0 ** (-torch.arange(width, dtype=x.dtype) / width)
    crossed = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)
    return x * torch.cos(angles) + crossed * torch.sin(angles)


# %% trivial: as it is
def rotary_embedding(x, positions):
    return x.clone()


# %% trivial: zeros
def rotary_embedding(x, positions):
    return torch.zeros_like(x)


# %% trivial: quarter turn
def rotary_embedding(x, positions):
    return torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)


# %% trivial: noise
def rotary_embedding(x, positions):
    return torch.randn_like(x)
