# %% wrong (fourth): the last layer stands on the right
# true: layers_multiplied_backwards
def attention_rollout(weights: Tensor) -> Tensor:
    T = weights.size(-1)
    result = torch.eye(T, dtype=weights.dtype)
    for layer in weights.mean(dim=1):
        result = result @ (0.5 * layer + 0.5 * torch.eye(T, dtype=weights.dtype))
    return result


# %% wrong (fourth): no residual connection: the weights are multiplied as they are
# true: residual_forgotten
def attention_rollout(weights: Tensor) -> Tensor:
    rollout = torch.eye(weights.size(-1), dtype=weights.dtype)
    for a in weights.mean(1):
        rollout = a @ rollout
    return rollout


# %% wrong (fourth): the identity is added, but rows are not brought back to 1
# true: not_halved
def attention_rollout(weights: Tensor) -> Tensor:
    eye = torch.eye(weights.shape[-1], dtype=weights.dtype)
    rollout = eye
    for layer in weights:
        rollout = (layer.mean(dim=0) + eye) @ rollout
    return rollout


# %% wrong (fourth): the mean over layers, not their product
# true: mean_over_layers
def attention_rollout(weights: Tensor) -> Tensor:
    a = weights.mean(dim=(0, 1))
    return 0.5 * (a + torch.eye(a.size(0), dtype=a.dtype))


# %% wrong (fourth): each head by itself through all layers, and their mean at the end
# true: heads_followed_apart
def attention_rollout(weights: Tensor) -> Tensor:
    L, H, T, _ = weights.shape
    eye = torch.eye(T, dtype=weights.dtype)
    rolled = eye.expand(H, T, T)
    for layer in weights:
        rolled = 0.5 * (layer + eye) @ rolled
    return rolled.mean(dim=0)


# %% wrong (fourth): the largest head instead of the mean, rows brought back to 1, as much code for images has it
# true: largest_of_the_heads_normalised
def attention_rollout(weights: Tensor) -> Tensor:
    result = torch.eye(weights.size(-1), dtype=weights.dtype)
    for attention in weights:
        fused = attention.max(dim=0).values
        a = (fused + torch.eye(fused.size(-1), dtype=fused.dtype)) / 2
        a = a / a.sum(dim=-1, keepdim=True)
        result = a @ result
    return result


# %% wrong (fourth): multiplied entry by entry
# true: number_by_number
def attention_rollout(weights: Tensor) -> Tensor:
    eye = torch.eye(weights.size(-1), dtype=weights.dtype)
    mixed = 0.5 * (weights.mean(dim=1) + eye)  # (L, T, T)
    return mixed.prod(dim=0)


# %% wrong (fourth): half of the identity is added once, at the end
# true: residual_once
def attention_rollout(weights: Tensor) -> Tensor:
    rollout = torch.eye(weights.size(-1), dtype=weights.dtype)
    for layer in weights.mean(dim=1):
        rollout = layer @ rollout
    return 0.5 * (rollout + torch.eye(weights.size(-1), dtype=weights.dtype))


# %% wrong (fourth): columns are brought to sum 1
# true: columns_sum_to_one
def attention_rollout(weights: Tensor) -> Tensor:
    eye = torch.eye(weights.size(-1), dtype=weights.dtype)
    rollout = eye
    for layer in weights.mean(dim=1):
        a = layer + eye
        a = a / a.sum(dim=0, keepdim=True)
        rollout = a @ rollout
    return rollout


# %% wrong (fourth): the first layer is left out
# true: first_layer_left_out
def attention_rollout(weights: Tensor) -> Tensor:
    eye = torch.eye(weights.size(-1), dtype=weights.dtype)
    mixed = 0.5 * weights.mean(dim=1) + 0.5 * eye
    rollout = eye
    for layer in range(1, len(mixed)):
        rollout = mixed[layer] @ rollout
    return rollout


# %% wrong (fourth): the mean over axis 0: layers, taken for heads
# true: layers_averaged_for_heads
def attention_rollout(weights: Tensor) -> Tensor:
    T = weights.size(-1)
    heads = weights.mean(dim=0)
    rollout = torch.eye(T, dtype=weights.dtype)
    for a in heads:
        rollout = (0.5 * a + 0.5 * torch.eye(T, dtype=weights.dtype)) @ rollout
    return rollout


# %% wrong (fourth): what words give, not what positions get: transposed
# true: transposed
def attention_rollout(weights: Tensor) -> Tensor:
    eye = torch.eye(weights.size(-1), dtype=weights.dtype)
    shares = eye
    for layer in weights.mean(dim=1):
        shares = 0.5 * (layer + eye) @ shares
    return shares.T


# %% right (fourth): a loop from the first layer up
def attention_rollout(weights: Tensor) -> Tensor:
    a = weights.mean(dim=1)
    a = (a + torch.eye(a.size(-1), dtype=a.dtype)) / 2
    rollout = a[0]
    for layer in a[1:]:
        rollout = torch.matmul(layer, rollout)
    return rollout


# %% right (fourth): word by word: where one unit at each word ends up
def attention_rollout(weights: Tensor) -> Tensor:
    T = weights.size(-1)
    columns = []
    for word in range(T):
        here = torch.zeros(T, dtype=weights.dtype)
        here[word] = 1.0
        for heads in weights:
            here = here / 2 + torch.einsum("hts,s->t", heads, here) / (2 * len(heads))
        columns.append(here)
    return torch.stack(columns, dim=1)


# %% right (fourth): from the top down, the flip of the layers, functools.reduce
def attention_rollout(weights: Tensor) -> Tensor:
    from functools import reduce

    mixed = weights.mean(1).lerp(torch.eye(weights.size(-1), dtype=weights.dtype), 0.5)
    return reduce(torch.matmul, mixed.flip(0).unbind(0))


# %% right (fourth): einsum, with rows divided by their sum as in the authors' code
def attention_rollout(weights: Tensor) -> Tensor:
    attention = weights.mean(dim=1)
    with_residual = attention + torch.eye(attention.size(-1), dtype=attention.dtype)[None]
    with_residual = with_residual / with_residual.sum(dim=-1, keepdim=True)
    joint = with_residual[0]
    for i in range(1, with_residual.size(0)):
        joint = torch.einsum("ij,jk->ik", with_residual[i], joint)
    return joint


# %% wrong (fifth): takes the largest weight of the heads and rescales rows, not the mean
# true: largest_head
def attention_rollout(weights: Tensor) -> Tensor:
    identity = torch.eye(weights.shape[-1], dtype=weights.dtype, device=weights.device)
    result = identity
    for layer in weights:
        fused = layer.amax(dim=0)  # (T, T)
        fused = fused / fused.sum(dim=-1, keepdim=True)
        result = 0.5 * (fused + identity) @ result
    return result
