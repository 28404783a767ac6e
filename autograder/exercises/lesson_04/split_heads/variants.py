# %% right: one line
def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError(f"{num_heads} heads do not divide {D}")
    return x.reshape(B, T, num_heads, D // num_heads).permute(0, 2, 1, 3)


# %% right: chunked and stacked
def split_heads(x, num_heads):
    width, rest = divmod(x.size(-1), num_heads)
    if rest != 0:
        raise ValueError(f"D = {x.size(-1)} is no multiple of H = {num_heads}")
    return torch.stack(x.split(width, dim=-1), dim=1)


# %% right: by slices
def split_heads(x, num_heads):
    d_model = x.shape[2]
    if num_heads * (d_model // num_heads) != d_model:
        raise ValueError("d_model must be divisible by num_heads")
    d_head = d_model // num_heads
    heads = x.new_zeros(x.shape[0], num_heads, x.shape[1], d_head)
    for h in range(num_heads):
        heads[:, h] = x[:, :, h * d_head : (h + 1) * d_head]
    return heads


# %% right: unflattened
def split_heads(x, num_heads):
    if x.shape[-1] % num_heads:
        raise ValueError(f"cannot share {x.shape[-1]} features among {num_heads} heads")
    return x.unflatten(-1, (num_heads, -1)).movedim(2, 1).contiguous()


# %% right: by picking
def split_heads(x, num_heads):
    if x.shape[-1] % num_heads:
        raise ValueError(f"{x.shape[-1]} % {num_heads} is not 0")
    picks = torch.eye(x.shape[-1], dtype=x.dtype).chunk(num_heads, dim=-1)  # H of (D, Dh)
    return torch.einsum("btd,hde->bhte", x, torch.stack(picks))


# %% wrong: unflattened and left
# true: not_transposed, refused_by_accident
def split_heads(x, num_heads):
    return x.unflatten(-1, (num_heads, x.size(-1) // num_heads))


# %% trivial: zeros
def split_heads(x, num_heads):
    return x.new_zeros(x.size(0), num_heads, x.size(1), x.size(2) // num_heads)


# %% trivial: the input itself
def split_heads(x, num_heads):
    return x


# %% trivial: an axis of one
def split_heads(x, num_heads):
    return x.unsqueeze(1)


# %% trivial: noise
def split_heads(x, num_heads):
    return torch.randn(x.size(0), num_heads, x.size(1), x.size(2) // num_heads, dtype=x.dtype)


# %% trivial: first features everywhere
def split_heads(x, num_heads):
    return x[:, None, :, : x.size(2) // num_heads].repeat(1, num_heads, 1, 1)
