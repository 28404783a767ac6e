# %% wrong: reshaped at once without bringing the heads back behind the tokens
# true: not_transposed
def merge_heads(x: Tensor) -> Tensor:
    B, H, T, Dh = x.shape
    return x.reshape(B, T, H * Dh)

# %% wrong: view on a transposed tensor without contiguous, which raises
# true: view_of_what_is_not_contiguous
def merge_heads(x: Tensor) -> Tensor:
    batch_size, num_heads, seq_len, head_dim = x.size()
    return x.transpose(1, 2).view(batch_size, seq_len, num_heads * head_dim)

# %% wrong: heads are the fastest axis, so the features of different heads take turns
# true: interleaved
def merge_heads(x: Tensor) -> Tensor:
    B, H, T, Dh = x.shape
    return x.permute(0, 2, 3, 1).contiguous().view(B, T, Dh * H)

# %% wrong: the heads are averaged and not put side by side
# true: heads_averaged
def merge_heads(x: Tensor) -> Tensor:
    return x.mean(dim=1)

# %% wrong: the tensor is transposed in place, so the caller's tensor has other axes afterwards
# true: transposed_in_place
def merge_heads(x: Tensor) -> Tensor:
    B, H, T, Dh = x.shape
    x.transpose_(1, 2)
    return x.reshape(B, T, H * Dh)

# %% wrong: the shape is unpacked as if tokens came before heads, and nothing is exchanged
def merge_heads(x: Tensor) -> Tensor:
    B, T, H, Dh = x.shape
    assert x.dim() == 4
    return x.contiguous().view(B, T, H * Dh)

# %% wrong: the heads are laid one after the other along the tokens
# true: joined_along_the_tokens
def merge_heads(x: Tensor) -> Tensor:
    heads = [x[:, h] for h in range(x.size(1))]
    return torch.cat(heads, dim=1)

# %% wrong: iterates over the batch and not over the heads
def merge_heads(x: Tensor) -> Tensor:
    return torch.cat([part for part in x], dim=-1)

# %% wrong: everything behind the batch is flattened, so the tokens have no axis of their own
def merge_heads(x: Tensor) -> Tensor:
    return x.transpose(1, 2).contiguous().flatten(start_dim=1)

# %% wrong: time comes first in the result
# true: tokens_before_sentences
def merge_heads(x: Tensor) -> Tensor:
    B, H, T, Dh = x.size()
    return x.permute(2, 0, 1, 3).contiguous().view(T, B, H * Dh)

# %% wrong: the last head comes first
def merge_heads(x: Tensor) -> Tensor:
    merged = x[:, 0]
    for h in range(1, x.shape[1]):
        merged = torch.cat([x[:, h], merged], dim=-1)
    return merged

# %% right: unbind and cat
def merge_heads(x: Tensor) -> Tensor:
    return torch.cat(x.unbind(dim=1), dim=-1)

# %% right: permute and flatten
def merge_heads(x: Tensor) -> Tensor:
    return x.permute(0, 2, 1, 3).flatten(2)

# %% right: transpose, contiguous, view
def merge_heads(x: Tensor) -> Tensor:
    batch_size, num_heads, seq_len, head_dim = x.shape
    x = x.transpose(1, 2).contiguous()
    return x.view(batch_size, seq_len, num_heads * head_dim)

# %% right: slices written into a new tensor
def merge_heads(x: Tensor) -> Tensor:
    B, H, T, Dh = x.shape
    merged = torch.zeros(B, T, H * Dh, dtype=x.dtype, device=x.device)
    for h in range(H):
        merged[:, :, h * Dh:(h + 1) * Dh] = x[:, h, :, :]
    return merged
