# %% wrong: the features are dealt out in turn, head h takes h, h + H, h + 2H, …
# true: interleaved
# Violates "Neighbouring features belong to one head: head 0 gets the first Dh of every token".
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError(f"{num_heads} heads do not divide a width of {D}")
    return x.view(B, T, D // num_heads, num_heads).permute(0, 3, 1, 2)


# %% wrong: an assert where H does not divide D
# true: refused_by_assert
# Violates "raise a ValueError": an AssertionError comes instead (and none under python -O).
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    batch_size, seq_len, d_model = x.size()
    assert d_model % num_heads == 0, f"d_model ({d_model}) must be divisible by num_heads ({num_heads})"
    return x.reshape(batch_size, seq_len, num_heads, d_model // num_heads).transpose(1, 2)


# %% right: blocks of columns, stacked on a new axis
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    width, left_over = divmod(x.size(-1), num_heads)
    if left_over:
        raise ValueError(f"the width {x.size(-1)} cannot be cut into {num_heads} equal heads")
    return torch.stack(x.split(width, dim=-1), dim=1)
