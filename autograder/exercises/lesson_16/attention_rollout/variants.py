def identity(weights):
    return torch.eye(weights.size(-1), dtype=weights.dtype)


# %% right: by reduce
def attention_rollout(weights):
    steps = 0.5 * weights.mean(1) + 0.5 * torch.eye(weights.shape[-1], dtype=weights.dtype)
    result = steps[0]
    for step in steps[1:]:
        result = torch.matmul(step, result)
    return result


# %% right: from the top down
def attention_rollout(weights):
    looks = torch.eye(weights.size(-1), dtype=weights.dtype)
    for layer in reversed(weights):
        averaged = sum(layer) / len(layer)
        looks = (looks + looks @ averaged) / 2
    return looks


# %% right: by chain
def attention_rollout(weights):
    identity = torch.eye(weights.size(-1), dtype=weights.dtype)
    steps = [(identity + torch.einsum("hts->ts", layer) / layer.size(0)) * 0.5 for layer in weights]
    return torch.linalg.multi_dot([*steps[::-1], identity]) if len(steps) > 1 else steps[0]


# %% right: diagonal added
def attention_rollout(weights):
    mixed = weights.mean(dim=1) / 2
    mixed = mixed + torch.diag_embed(torch.full(mixed.shape[:-1], 0.5, dtype=weights.dtype))
    result = torch.eye(weights.size(-1), dtype=weights.dtype)
    for level in range(len(weights)):
        result = torch.einsum("tm,ms->ts", mixed[level], result)
    return result


# %% wrong: head by head
# defines: heads_followed_apart
def attention_rollout(weights: Tensor) -> Tensor:
    identity = torch.eye(weights.size(-1), dtype=weights.dtype)
    rolled = identity.expand(weights.size(1), -1, -1)
    for layer in weights:
        rolled = (layer + identity) / 2 @ rolled
    return rolled.mean(dim=0)


# %% wrong: on top
# true: last_layer_only
def attention_rollout(weights):
    return (weights[-1].mean(0) + torch.eye(weights.size(-1), dtype=weights.dtype)) / 2


# %% wrong: all heads in full
# true: heads_summed
def attention_rollout(weights):
    result = torch.eye(weights.size(-1), dtype=weights.dtype)
    for layer in weights:
        result = (torch.einsum("hts->ts", layer) + torch.eye(weights.size(-1), dtype=weights.dtype)) / 2 @ result
    return result


# %% trivial: identity
def attention_rollout(weights):
    return torch.eye(weights.size(-1), dtype=weights.dtype)


# %% trivial: uniform
def attention_rollout(weights):
    return torch.full(weights.shape[-2:], 1 / weights.size(-1), dtype=weights.dtype)


# %% trivial: noise
def attention_rollout(weights):
    return torch.rand(weights.shape[-2:], dtype=weights.dtype).softmax(dim=-1)
