# %% right: in blocks
def gate_heads(merged, gates):
    heads = merged.unflatten(-1, (len(gates), -1))
    return (heads * gates[:, None]).flatten(-2)


# %% right: head by head
def gate_heads(merged, gates):
    parts = merged.chunk(len(gates), dim=-1)
    return torch.cat([part * gate for part, gate in zip(parts, gates, strict=True)], dim=-1)


# %% right: by einsum
def gate_heads(merged, gates):
    heads = merged.reshape(*merged.shape[:-1], gates.numel(), -1)
    return torch.einsum("...hd,h->...hd", heads, gates).reshape(merged.shape)


# %% right: by index
def gate_heads(merged, gates):
    owner = torch.arange(merged.size(-1)) * len(gates) // merged.size(-1)
    return gates[owner] * merged


# %% right: as a matrix
def gate_heads(merged, gates):
    return merged @ torch.diag(torch.kron(gates, torch.ones(merged.size(-1) // len(gates), dtype=gates.dtype)))


# %% wrong: mixed together
# true: heads_summed
def gate_heads(merged, gates):
    return torch.einsum("...hd,h->...d", merged.unflatten(-1, (len(gates), -1)), gates)


# %% trivial: everything through
def gate_heads(merged, gates):
    return merged


# %% trivial: nothing through
def gate_heads(merged, gates):
    return torch.zeros_like(merged)


# %% trivial: noise
def gate_heads(merged, gates):
    return torch.randn_like(merged)
