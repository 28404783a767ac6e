# %% right: by einsum
def linear_attention(query, key, value, causal=False):
    q = torch.where(query > 0, query + 1, torch.exp(query.clamp(max=0)))
    k = torch.where(key > 0, key + 1, torch.exp(key.clamp(max=0)))
    if causal:
        memory = torch.einsum("...sd,...se->...sde", k, value).cumsum(-3)
        upper = torch.einsum("...td,...tde->...te", q, memory)
        lower = torch.einsum("...td,...td->...t", q, k.cumsum(-2))
    else:
        upper = torch.einsum("...td,...de->...te", q, torch.einsum("...sd,...se->...de", k, value))
        lower = torch.einsum("...td,...d->...t", q, k.sum(-2))
    return upper / lower.unsqueeze(-1)


# %% right: with a state
def linear_attention(query, key, value, causal=False):
    q, k = F.elu(query).add(1), F.elu(key).add(1)
    if not causal:
        return q @ (k.mT @ value) / (q * k.sum(-2, keepdim=True)).sum(-1, keepdim=True)
    memory = torch.zeros(*key.shape[:-2], key.size(-1), value.size(-1), dtype=value.dtype)
    total = torch.zeros(*key.shape[:-2], key.size(-1), dtype=value.dtype)
    outputs = []
    for t in range(query.size(-2)):
        memory = memory + k[..., t, :, None] * value[..., t, None, :]
        total = total + k[..., t, :]
        row = q[..., t, :]
        outputs.append((row.unsqueeze(-2) @ memory).squeeze(-2) / (row * total).sum(-1, keepdim=True))
    return torch.stack(outputs, dim=-2)


# %% right: ones beside the values
def linear_attention(query, key, value, causal=False):
    """Numerator and denominator at once: the total is what a value of 1 comes to."""
    phi = nn.ELU()
    q, k = 1 + phi(query), 1 + phi(key)
    wide = torch.cat([value, torch.ones_like(value[..., :1])], dim=-1)
    if causal:
        both = [q[..., t : t + 1, :] @ (k[..., : t + 1, :].mT @ wide[..., : t + 1, :]) for t in range(q.size(-2))]
        both = torch.cat(both, dim=-2)
    else:
        both = q @ (k.mT @ wide)
    return both[..., :-1] / both[..., -1:]


# %% right: divided before
def linear_attention(query, key, value, causal=False):
    query = torch.nn.functional.elu(query) + 1.0
    key = torch.nn.functional.elu(key) + 1.0
    sums = torch.cumsum(key, dim=-2) if causal else key.sum(dim=-2, keepdim=True)
    query = query / torch.sum(query * sums, dim=-1, keepdim=True)
    if not causal:
        return torch.matmul(query, torch.matmul(key.transpose(-1, -2), value))
    products = torch.unsqueeze(key, -1) * torch.unsqueeze(value, -2)
    return (torch.unsqueeze(query, -1) * torch.cumsum(products, dim=-3)).sum(dim=-2)


# %% wrong: softmax attention
# defines: softmax_attention
def linear_attention(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    scores = query @ key.transpose(-2, -1) / query.size(-1) ** 0.5
    if causal:
        scores = scores.masked_fill(~torch.ones(scores.shape[-2:], dtype=torch.bool).tril(), -torch.inf)
    return torch.softmax(scores, dim=-1) @ value


# %% wrong: all pairs first
# defines: a_weight_for_every_pair
def linear_attention(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    weights = (F.elu(query) + 1) @ (F.elu(key) + 1).transpose(-2, -1)  # (..., T, S)
    if causal:
        weights = weights.tril()
    return weights / weights.sum(dim=-1, keepdim=True) @ value


# %% wrong: pairs first if causal
# defines: a_weight_for_every_pair_if_causal
def linear_attention(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    query, key = F.elu(query) + 1, F.elu(key) + 1
    if causal:
        weights = (query @ key.transpose(-2, -1)).tril()  # (..., T, T)
        return weights / weights.sum(dim=-1, keepdim=True) @ value
    return query @ (key.transpose(-2, -1) @ value) / (query @ key.sum(dim=-2).unsqueeze(-1))


# %% trivial: zeros
def linear_attention(query, key, value, causal=False):
    return torch.zeros(*query.shape[:-1], value.size(-1), dtype=value.dtype)


# %% trivial: first value
def linear_attention(query, key, value, causal=False):
    return value[..., :1, :].expand(*query.shape[:-1], value.size(-1))


# %% trivial: noise
def linear_attention(query, key, value, causal=False):
    return torch.randn(*query.shape[:-1], value.size(-1), dtype=value.dtype)
