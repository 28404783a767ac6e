# %% wrong: the features are dealt out in turn, so head h gets every H-th feature and not a block of neighbours
# true: interleaved
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.size()
    if D % num_heads != 0:
        raise ValueError(f"d_model = {D} is not divisible by num_heads = {num_heads}")
    head_dim = D // num_heads
    x = x.reshape(B, T, head_dim, num_heads)
    return x.permute(0, 3, 1, 2).contiguous()

# %% wrong: where the heads do not divide the width an AssertionError is raised and no ValueError
# true: refused_by_assert
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    batch_size, seq_len, d_model = x.shape
    assert d_model % num_heads == 0, f"d_model ({d_model}) must be divisible by num_heads ({num_heads})"
    depth = d_model // num_heads
    heads = []
    for h in range(num_heads):
        heads.append(x[:, :, h * depth:(h + 1) * depth])
    return torch.stack(heads, dim=1)

# %% wrong: the result is computed in numpy from a detached copy, so no gradient flows back to x
# true: detached
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    d = x.shape[-1]
    if d % num_heads:
        raise ValueError("cannot split " + str(d) + " features into " + str(num_heads) + " heads")
    arr = x.detach().cpu().numpy()
    pieces = np.split(arr, num_heads, axis=-1)
    return torch.from_numpy(np.stack(pieces, axis=1)).to(x.device)

# %% right: unflatten and movedim
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    width = x.shape[-1]
    head_width, rest = divmod(width, num_heads)
    if rest:
        raise ValueError(f"{num_heads} heads do not fit a width of {width}: {rest} features are left over")
    return x.unflatten(-1, (num_heads, head_width)).movedim(-2, 1)
