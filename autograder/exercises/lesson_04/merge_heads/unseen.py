# %% wrong (first): reshaped at once without bringing the heads back behind the tokens
# true: not_transposed
def merge_heads(x: Tensor) -> Tensor:
    B, H, T, Dh = x.shape
    return x.reshape(B, T, H * Dh)

# %% wrong (first): view on a transposed tensor without contiguous, which raises
# true: view_of_what_is_not_contiguous
def merge_heads(x: Tensor) -> Tensor:
    batch_size, num_heads, seq_len, head_dim = x.size()
    return x.transpose(1, 2).view(batch_size, seq_len, num_heads * head_dim)

# %% wrong (first): heads are the fastest axis, so the features of different heads take turns
# true: interleaved
def merge_heads(x: Tensor) -> Tensor:
    B, H, T, Dh = x.shape
    return x.permute(0, 2, 3, 1).contiguous().view(B, T, Dh * H)

# %% wrong (first): the heads are averaged and not put side by side
# true: heads_averaged
def merge_heads(x: Tensor) -> Tensor:
    return x.mean(dim=1)

# %% wrong (first): the tensor is transposed in place, so the caller's tensor has other axes afterwards
# true: transposed_in_place
def merge_heads(x: Tensor) -> Tensor:
    B, H, T, Dh = x.shape
    x.transpose_(1, 2)
    return x.reshape(B, T, H * Dh)

# %% wrong (first): the shape is unpacked as if tokens came before heads, and nothing is exchanged
def merge_heads(x: Tensor) -> Tensor:
    B, T, H, Dh = x.shape
    assert x.dim() == 4
    return x.contiguous().view(B, T, H * Dh)

# %% wrong (first): the heads are laid one after the other along the tokens
# true: joined_along_the_tokens
def merge_heads(x: Tensor) -> Tensor:
    heads = [x[:, h] for h in range(x.size(1))]
    return torch.cat(heads, dim=1)

# %% wrong (first): iterates over the batch and not over the heads
def merge_heads(x: Tensor) -> Tensor:
    return torch.cat([part for part in x], dim=-1)

# %% wrong (first): everything behind the batch is flattened, so the tokens have no axis of their own
def merge_heads(x: Tensor) -> Tensor:
    return x.transpose(1, 2).contiguous().flatten(start_dim=1)

# %% wrong (first): time comes first in the result
# true: tokens_before_sentences
def merge_heads(x: Tensor) -> Tensor:
    B, H, T, Dh = x.size()
    return x.permute(2, 0, 1, 3).contiguous().view(T, B, H * Dh)

# %% wrong (first): the last head comes first
def merge_heads(x: Tensor) -> Tensor:
    merged = x[:, 0]
    for h in range(1, x.shape[1]):
        merged = torch.cat([x[:, h], merged], dim=-1)
    return merged

# %% right (first): unbind and cat
def merge_heads(x: Tensor) -> Tensor:
    return torch.cat(x.unbind(dim=1), dim=-1)

# %% right (first): permute and flatten
def merge_heads(x: Tensor) -> Tensor:
    return x.permute(0, 2, 1, 3).flatten(2)

# %% right (first): transpose, contiguous, view
def merge_heads(x: Tensor) -> Tensor:
    batch_size, num_heads, seq_len, head_dim = x.shape
    x = x.transpose(1, 2).contiguous()
    return x.view(batch_size, seq_len, num_heads * head_dim)

# %% right (first): slices written into a new tensor
def merge_heads(x: Tensor) -> Tensor:
    B, H, T, Dh = x.shape
    merged = torch.zeros(B, T, H * Dh, dtype=x.dtype, device=x.device)
    for h in range(H):
        merged[:, :, h * Dh:(h + 1) * Dh] = x[:, h, :, :]
    return merged

# %% wrong (second): the axes are put in the order token, feature, head, so the heads' features alternate and do not stand head after head
# true: interleaved
def merge_heads(x: Tensor) -> Tensor:
    b, h, t, d = x.shape
    out = x.permute(0, 2, 3, 1).contiguous()
    return out.view(b, t, d * h)

# %% wrong (second): the numbers are only cut anew and heads and tokens are never exchanged, so a row mixes several tokens of one head
# true: not_transposed
def merge_heads(x: Tensor) -> Tensor:
    batch, n_heads, seq, d_k = x.size()
    d_model = n_heads * d_k
    x = x.contiguous()
    assert x.numel() == batch * seq * d_model
    return x.view(batch, seq, d_model)

# %% wrong (second): squeeze takes away every axis of length one, so a batch of a single sentence comes back without its batch axis
def merge_heads(x: Tensor) -> Tensor:
    heads = torch.split(x, 1, dim=1)
    heads = [head.squeeze() for head in heads]
    return torch.cat(heads, dim=-1)

# %% right (second): the heads are concatenated one by one
def merge_heads(x: Tensor) -> Tensor:
    merged = x[:, 0]
    for h in range(1, x.size(1)):
        merged = torch.cat((merged, x[:, h]), dim=2)
    return merged

# %% wrong (third): the heads' features are shuffled into each other instead of standing side by side
# true: interleaved
def merge_heads(x: Tensor) -> Tensor:
    B, H, T, Dh = x.shape
    return x.permute(0, 2, 3, 1).reshape(B, T, H * Dh)


# %% wrong (third): a view after the transpose, which fails unless x is itself a transposed tensor
# true: view_of_what_is_not_contiguous
def merge_heads(x: Tensor) -> Tensor:
    batch_size, num_heads, seq_len, d_head = x.size()
    return x.transpose(1, 2).view(batch_size, seq_len, num_heads * d_head)


# %% wrong (third): takes the first axis for the heads' and puts the sentences of the batch side by side
def merge_heads(x: Tensor) -> Tensor:
    return torch.cat(list(x), dim=-1)


# %% right (third): an empty tensor into which each head writes its columns
def merge_heads(x: Tensor) -> Tensor:
    B, H, T, Dh = x.shape
    merged = x.new_empty(B, T, H * Dh)
    for h in range(H):
        merged[:, :, h * Dh : (h + 1) * Dh] = x[:, h]
    return merged

# %% wrong (last): the heads become the last axis, so their features alternate
# true: interleaved
# Violates "Put the heads of each token side by side, head 0 first".
def merge_heads(x: Tensor) -> Tensor:
    return x.permute(0, 2, 3, 1).flatten(start_dim=2)


# %% wrong (last): transpose_ with an underscore turns the caller's tensor round as well
# true: transposed_in_place
# Violates "As always, leave what you are given as it is" and hands back the right result.
def merge_heads(x: Tensor) -> Tensor:
    B, H, T, Dh = x.shape
    return x.transpose_(1, 2).reshape(B, T, H * Dh)


# %% right (last): the heads taken apart and put side by side
def merge_heads(x: Tensor) -> Tensor:
    return torch.cat(x.unbind(dim=1), dim=-1)


# %% wrong (fifth): the heads are put innermost: feature 0 of every head first, then feature 1 of every head
# true: interleaved
def merge_heads(x: Tensor) -> Tensor:
    B, H, T, Dh = x.shape
    return x.permute(0, 2, 3, 1).reshape(B, T, H * Dh)
