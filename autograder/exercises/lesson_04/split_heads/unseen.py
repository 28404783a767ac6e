# %% wrong (first): one view to the final shape, which mixes the tokens
# true: view_without_transpose
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.size()
    if D % num_heads != 0:
        raise ValueError(f"d_model={D} is not divisible by num_heads={num_heads}")
    return x.reshape(B, num_heads, T, D // num_heads)

# %% wrong (first): the heads come out behind the tokens, the axes are not exchanged
# true: not_transposed
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    batch_size, seq_len, d_model = x.shape
    if d_model % num_heads:
        raise ValueError(f"{num_heads} heads do not divide a width of {d_model}")
    head_dim = d_model // num_heads
    x = x.view(batch_size, seq_len, num_heads, head_dim)
    return x.contiguous()

# %% wrong (first): features are dealt out to the heads in turn, and not in neighbouring blocks
# true: interleaved
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError("D = %d does not fit %d heads" % (D, num_heads))
    return x.view(B, T, D // num_heads, num_heads).permute(0, 3, 1, 2)

# %% wrong (first): torch.split is given the number of heads where it wants their width
# true: heads_and_width_swapped
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    d_model = x.size(-1)
    if d_model % num_heads != 0:
        raise ValueError(f"d_model {d_model} must be divisible by {num_heads}")
    parts = torch.split(x, num_heads, dim=-1)
    return torch.stack(parts, dim=1)

# %% wrong (first): where H does not divide D the last features are dropped in silence
# true: remainder_dropped
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    Dh = D // num_heads
    heads = [x[:, :, h * Dh:(h + 1) * Dh] for h in range(num_heads)]
    return torch.stack(heads, dim=1)

# %% wrong (first): an assertion in place of a ValueError
# true: refused_by_assert
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    b, t, d = x.shape
    assert d % num_heads == 0, f"d_model ({d}) must be divisible by num_heads ({num_heads})"
    x = x.reshape(b, t, num_heads, d // num_heads)
    return x.permute(0, 2, 1, 3)

# %% wrong (first): the heads are stacked in front of the batch
# true: heads_first
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    if x.size(-1) % num_heads != 0:
        raise ValueError(f"cannot split {x.size(-1)} features into {num_heads} heads")
    return torch.stack(x.chunk(num_heads, dim=-1), dim=0)

# %% wrong (first): the heads are folded into the batch, so three dimensions come back
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"D={D}, H={num_heads}: no whole number of features a head")
    return torch.cat(x.split(D // num_heads, dim=2), dim=0)

# %% wrong (first): keys-style transpose, each head comes out as (Dh, T) / no ValueError where it does not fit
# true: width_before_tokens, refused_by_accident
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    return x.view(B, T, num_heads, -1).permute(0, 2, 3, 1)

# %% wrong (first): a dimension of one is squeezed away, so one sentence or one head loses its axis
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"num_heads {num_heads} must divide d_model {D}")
    print("splitting", tuple(x.shape), "into", num_heads, "heads")
    return x.reshape(B, T, num_heads, D // num_heads).transpose(1, 2).squeeze()

# %% wrong (first): it checks that the number of tokens, not the width, can be divided
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if x.shape[1] % num_heads != 0:
        raise ValueError(f"{x.shape[1]} is not divisible by {num_heads}")
    return x.reshape(B, T, num_heads, D // num_heads).transpose(1, 2)

# %% right (first): reshape and permute
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    batch, length, width = x.shape
    head_width, rest = divmod(width, num_heads)
    if rest:
        raise ValueError(f"a width of {width} cannot be shared by {num_heads} heads")
    return x.reshape(batch, length, num_heads, head_width).permute(0, 2, 1, 3)

# %% right (first): chunk and stack
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    if x.size(-1) % num_heads != 0:
        raise ValueError(f"num_heads = {num_heads} does not divide D = {x.size(-1)}")
    return torch.stack(torch.chunk(x, num_heads, dim=-1), dim=1)

# %% right (first): unflatten and swapdims, contiguous at the end
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    D = x.shape[-1]
    if D % num_heads != 0:
        raise ValueError("D must be a multiple of H, got D=%d and H=%d" % (D, num_heads))
    return x.unflatten(-1, (num_heads, D // num_heads)).swapdims(1, 2).contiguous()

# %% right (first): slices copied into a new tensor
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{D} features do not fit into {num_heads} equal heads")
    Dh = D // num_heads
    out = x.new_zeros(B, num_heads, T, Dh)
    for h in range(num_heads):
        out[:, h] = x[..., h * Dh:(h + 1) * Dh]
    return out

# %% wrong (second): the features are dealt out in turn, so head h gets every H-th feature and not a block of neighbours
# true: interleaved
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.size()
    if D % num_heads != 0:
        raise ValueError(f"d_model = {D} is not divisible by num_heads = {num_heads}")
    head_dim = D // num_heads
    x = x.reshape(B, T, head_dim, num_heads)
    return x.permute(0, 3, 1, 2).contiguous()

# %% wrong (second): where the heads do not divide the width an AssertionError is raised and no ValueError
# true: refused_by_assert
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    batch_size, seq_len, d_model = x.shape
    assert d_model % num_heads == 0, f"d_model ({d_model}) must be divisible by num_heads ({num_heads})"
    depth = d_model // num_heads
    heads = []
    for h in range(num_heads):
        heads.append(x[:, :, h * depth:(h + 1) * depth])
    return torch.stack(heads, dim=1)

# %% wrong (second): the result is computed in numpy from a detached copy, so no gradient flows back to x
# true: detached
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    d = x.shape[-1]
    if d % num_heads:
        raise ValueError("cannot split " + str(d) + " features into " + str(num_heads) + " heads")
    arr = x.detach().cpu().numpy()
    pieces = np.split(arr, num_heads, axis=-1)
    return torch.from_numpy(np.stack(pieces, axis=1)).to(x.device)

# %% right (second): unflatten and movedim
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    width = x.shape[-1]
    head_width, rest = divmod(width, num_heads)
    if rest:
        raise ValueError(f"{num_heads} heads do not fit a width of {width}: {rest} features are left over")
    return x.unflatten(-1, (num_heads, head_width)).movedim(-2, 1)

# %% wrong (third): neighbouring features go to different heads: head h takes h, h + H, h + 2H …
# true: interleaved
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"d_model ({D}) must be divisible by num_heads ({num_heads})")
    return x.reshape(B, T, D // num_heads, num_heads).permute(0, 3, 1, 2)


# %% wrong (third): lays the heads behind each other and then reads that axis as (B, H) where it is (H, B)
# true: heads_read_as_sentences
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError(f"{num_heads} heads do not divide a width of {D}")
    stacked = torch.cat(torch.chunk(x, num_heads, dim=2), dim=0)  # (H * B, T, Dh)
    return stacked.view(B, num_heads, T, D // num_heads)


# %% wrong (third): an assert, so that a width which does not fit raises an AssertionError
# true: refused_by_assert
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    batch_size, seq_len, d_model = x.size()
    assert d_model % num_heads == 0, "d_model must be divisible by num_heads"
    d_head = d_model // num_heads
    return x.reshape(batch_size, seq_len, num_heads, d_head).transpose(1, 2)


# %% right (third): cut into slices of features and stacked along a new axis
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    D = x.size(-1)
    if num_heads < 1 or D % num_heads:
        raise ValueError(f"the width D = {D} cannot be divided among {num_heads} heads")
    return torch.stack(x.split(D // num_heads, dim=-1), dim=1)

# %% wrong (last): the features are dealt out in turn, head h takes h, h + H, h + 2H, …
# true: interleaved
# Violates "Neighbouring features belong to one head: head 0 gets the first Dh of every token".
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError(f"{num_heads} heads do not divide a width of {D}")
    return x.view(B, T, D // num_heads, num_heads).permute(0, 3, 1, 2)


# %% wrong (last): an assert where H does not divide D
# true: refused_by_assert
# Violates "raise a ValueError": an AssertionError comes instead (and none under python -O).
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    batch_size, seq_len, d_model = x.size()
    assert d_model % num_heads == 0, f"d_model ({d_model}) must be divisible by num_heads ({num_heads})"
    return x.reshape(batch_size, seq_len, num_heads, d_model // num_heads).transpose(1, 2)


# %% right (last): blocks of columns, stacked on a new axis
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    width, left_over = divmod(x.size(-1), num_heads)
    if left_over:
        raise ValueError(f"the width {x.size(-1)} cannot be cut into {num_heads} equal heads")
    return torch.stack(x.split(width, dim=-1), dim=1)


# %% wrong (fifth): an assert: AssertionError instead of ValueError where H does not divide D
# true: refused_by_assert
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    batch_size, seq_len, d_model = x.shape
    assert d_model % num_heads == 0, "d_model must be divisible by num_heads"
    d_head = d_model // num_heads
    return x.reshape(batch_size, seq_len, num_heads, d_head).transpose(1, 2)
