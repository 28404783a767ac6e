# %% wrong (fourth): gates are repeated in turn: each head's features get all gates
# true: gates_in_turn
def gate_heads(merged: Tensor, gates: Tensor) -> Tensor:
    return merged * gates.repeat(merged.size(-1) // gates.numel())


# %% wrong (fourth): features are taken apart as (Dh, H)
# true: gates_in_turn
def gate_heads(merged: Tensor, gates: Tensor) -> Tensor:
    H = gates.size(0)
    x = merged.reshape(*merged.shape[:-1], -1, H)
    return (x * gates).reshape(merged.shape)


# %% wrong (fourth): writes into what was handed in
# true: written_into_the_input
def gate_heads(merged: Tensor, gates: Tensor) -> Tensor:
    width = merged.size(-1) // gates.size(0)
    for h in range(gates.size(0)):
        merged[..., h * width : (h + 1) * width] *= gates[h]
    return merged


# %% wrong (fourth): open or closed: a gate of a half lets all through
# true: open_or_shut_only
def gate_heads(merged: Tensor, gates: Tensor) -> Tensor:
    H = gates.shape[0]
    heads = merged.view(*merged.shape[:-1], H, -1)
    return heads.masked_fill((gates == 0).unsqueeze(-1), 0.0).flatten(-2)


# %% wrong (fourth): closed heads' share is spread over the open ones, as dropout does
def gate_heads(merged: Tensor, gates: Tensor) -> Tensor:
    per_feature = gates.repeat_interleave(merged.size(-1) // len(gates))
    return merged * per_feature / gates.mean()


# %% wrong (fourth): the heads' axis is left in the result
# true: heads_left_apart
def gate_heads(merged: Tensor, gates: Tensor) -> Tensor:
    H = gates.size(0)
    return merged.unflatten(-1, (H, -1)) * gates.view(H, 1)


# %% wrong (fourth): 1 takes a head out and 0 leaves it in
# true: gates_inverted
def gate_heads(merged: Tensor, gates: Tensor) -> Tensor:
    d = merged.size(-1) // gates.size(0)
    return merged * (1 - gates).repeat_interleave(d)


# %% wrong (fourth): three axes are expected: (B, T, D) and no other
def gate_heads(merged: Tensor, gates: Tensor) -> Tensor:
    B, T, D = merged.shape
    H = gates.size(0)
    return (merged.view(B, T, H, D // H) * gates.view(1, 1, H, 1)).view(B, T, D)


# %% wrong (fourth): splits heads as (B, H, T, Dh) and merges without turning the axes back
def gate_heads(merged: Tensor, gates: Tensor) -> Tensor:
    *lead, D = merged.shape
    H = gates.numel()
    x = merged.reshape(-1, D) if lead else merged.unsqueeze(0)
    x = x.view(x.size(0), H, D // H).transpose(0, 1)  # (H, N, Dh)
    x = x * gates.view(H, 1, 1)
    return x.reshape(merged.shape)


# %% wrong (fourth): gates are squeezed through a sigmoid
# true: gates_through_a_sigmoid
def gate_heads(merged: Tensor, gates: Tensor) -> Tensor:
    g = torch.sigmoid(gates).repeat_interleave(merged.size(-1) // gates.size(0))
    return merged * g


# %% wrong (fourth): the gates' data: no gradient flows to them
# true: gates_detached
def gate_heads(merged: Tensor, gates: Tensor) -> Tensor:
    H = gates.size(0)
    heads = merged.unflatten(-1, (H, merged.size(-1) // H))
    return (heads * gates.detach()[:, None]).flatten(-2)


# %% right (fourth): repeat_interleave
def gate_heads(merged: Tensor, gates: Tensor) -> Tensor:
    return merged * torch.repeat_interleave(gates, merged.size(-1) // gates.numel())


# %% right (fourth): chunks, gate by gate
def gate_heads(merged: Tensor, gates: Tensor) -> Tensor:
    chunks = merged.chunk(len(gates), dim=-1)
    return torch.cat([gate * chunk for gate, chunk in zip(gates, chunks, strict=True)], dim=-1)


# %% right (fourth): a diagonal matrix in blocks
def gate_heads(merged: Tensor, gates: Tensor) -> Tensor:
    D, H = merged.size(-1), gates.size(0)
    blocks = torch.block_diag(*[torch.eye(D // H, dtype=merged.dtype) for _ in range(H)]).view(D, H, D // H)
    return merged @ (blocks * gates.view(1, H, 1)).view(D, D)


# %% right (fourth): unflatten and einsum
def gate_heads(merged: Tensor, gates: Tensor) -> Tensor:
    heads = merged.reshape(*merged.shape[:-1], gates.shape[0], -1)
    return torch.einsum("...hd,h->...hd", heads, gates).reshape(merged.shape)


# %% wrong (fifth): the gates are tiled, feature d gets gate d % H instead of d // (D // H)
# true: gates_in_turn
def gate_heads(merged: Tensor, gates: Tensor) -> Tensor:
    width = merged.shape[-1] // gates.shape[0]
    return merged * gates.repeat(width)
