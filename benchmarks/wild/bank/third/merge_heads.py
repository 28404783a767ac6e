# %% wrong: the heads' features are shuffled into each other instead of standing side by side
# true: interleaved
def merge_heads(x: Tensor) -> Tensor:
    B, H, T, Dh = x.shape
    return x.permute(0, 2, 3, 1).reshape(B, T, H * Dh)


# %% wrong: a view after the transpose, which fails unless x is itself a transposed tensor
# true: view_of_what_is_not_contiguous
def merge_heads(x: Tensor) -> Tensor:
    batch_size, num_heads, seq_len, d_head = x.size()
    return x.transpose(1, 2).view(batch_size, seq_len, num_heads * d_head)


# %% wrong: takes the first axis for the heads' and puts the sentences of the batch side by side
def merge_heads(x: Tensor) -> Tensor:
    return torch.cat(list(x), dim=-1)


# %% right: an empty tensor into which each head writes its columns
def merge_heads(x: Tensor) -> Tensor:
    B, H, T, Dh = x.shape
    merged = x.new_empty(B, T, H * Dh)
    for h in range(H):
        merged[:, :, h * Dh : (h + 1) * Dh] = x[:, h]
    return merged
