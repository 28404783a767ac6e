# %% wrong: neighbouring features go to different heads: head h takes h, h + H, h + 2H …
# true: interleaved
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"d_model ({D}) must be divisible by num_heads ({num_heads})")
    return x.reshape(B, T, D // num_heads, num_heads).permute(0, 3, 1, 2)


# %% wrong: lays the heads behind each other and then reads that axis as (B, H) where it is (H, B)
# true: heads_read_as_sentences
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError(f"{num_heads} heads do not divide a width of {D}")
    stacked = torch.cat(torch.chunk(x, num_heads, dim=2), dim=0)  # (H * B, T, Dh)
    return stacked.view(B, num_heads, T, D // num_heads)


# %% wrong: an assert, so that a width which does not fit raises an AssertionError
# true: refused_by_assert
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    batch_size, seq_len, d_model = x.size()
    assert d_model % num_heads == 0, "d_model must be divisible by num_heads"
    d_head = d_model // num_heads
    return x.reshape(batch_size, seq_len, num_heads, d_head).transpose(1, 2)


# %% right: cut into slices of features and stacked along a new axis
def split_heads(x: Tensor, num_heads: int) -> Tensor:
    D = x.size(-1)
    if num_heads < 1 or D % num_heads:
        raise ValueError(f"the width D = {D} cannot be divided among {num_heads} heads")
    return torch.stack(x.split(D // num_heads, dim=-1), dim=1)
