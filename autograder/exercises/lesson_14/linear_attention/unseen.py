# %% wrong (fourth): queries are divided by the root of Dk before phi
# true: scaled_first
def linear_attention(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    q = F.elu(query / math.sqrt(query.size(-1))) + 1
    k = F.elu(key) + 1
    if causal:
        kv = torch.cumsum(torch.einsum("...sd,...sv->...sdv", k, value), dim=-3)
        z = torch.cumsum(k, dim=-2)
        num = torch.einsum("...td,...tdv->...tv", q, kv)
        den = (q * z).sum(-1, keepdim=True)
    else:
        num = q @ (k.transpose(-1, -2) @ value)
        den = q @ k.sum(dim=-2).unsqueeze(-1)
    return num / den


# %% wrong (fourth): elu without the 1: weights may be negative
# true: elu_without_one
def linear_attention(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    q, k = F.elu(query), F.elu(key)
    if causal:
        kv = (k.unsqueeze(-1) * value.unsqueeze(-2)).cumsum(dim=-3)
        z = k.cumsum(dim=-2)
        return (q.unsqueeze(-2) @ kv).squeeze(-2) / (q * z).sum(-1, keepdim=True)
    kv = k.transpose(-2, -1) @ value
    z = k.sum(dim=-2, keepdim=True)
    return (q @ kv) / (q * z).sum(dim=-1, keepdim=True)


# %% wrong (fourth): relu for phi, with a small number so that nothing is divided by 0
# true: relu_for_phi
def linear_attention(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    q, k = F.relu(query) + 1e-6, F.relu(key) + 1e-6
    if causal:
        kv = torch.einsum("...sd,...sv->...sdv", k, value).cumsum(-3)
        z = k.cumsum(-2)
        return torch.einsum("...td,...tdv->...tv", q, kv) / torch.einsum("...td,...td->...t", q, z).unsqueeze(-1)
    kv = torch.einsum("...sd,...sv->...dv", k, value)
    return torch.einsum("...td,...dv->...tv", q, kv) / torch.einsum("...td,...d->...t", q, k.sum(-2)).unsqueeze(-1)


# %% wrong (fourth): not divided by the sum of weights
# true: not_divided
def linear_attention(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    q, k = F.elu(query) + 1, F.elu(key) + 1

    if causal:
        memory = torch.cumsum(k.unsqueeze(-1) * value.unsqueeze(-2), dim=-3)  # (..., T, Dk, Dv)
        return torch.einsum("...td,...tdv->...tv", q, memory)
    return q @ (k.transpose(-2, -1) @ value)


# %% wrong (fourth): causal is ignored
# true: causal_ignored
def linear_attention(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    q, k = F.elu(query) + 1, F.elu(key) + 1

    kv = torch.einsum("...sd,...sv->...dv", k, value)
    z = 1 / torch.einsum("...td,...d->...t", q, k.sum(dim=-2))
    return torch.einsum("...td,...dv,...t->...tv", q, kv, z)


# %% wrong (fourth): causal by a triangle of T times T weights
# true: a_weight_for_every_pair_if_causal
def linear_attention(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    q, k = F.elu(query) + 1, F.elu(key) + 1

    if causal:
        weights = q @ k.transpose(-2, -1)  # (..., T, T)
        weights = weights.tril()
        return (weights @ value) / weights.sum(dim=-1, keepdim=True)
    kv = k.transpose(-2, -1) @ value
    return (q @ kv) / (q @ k.sum(-2, keepdim=True).transpose(-2, -1))


# %% wrong (fourth): pairs first: all weights are computed and divided by their sum
# true: a_weight_for_every_pair
def linear_attention(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    q, k = F.elu(query) + 1, F.elu(key) + 1

    weights = q @ k.transpose(-2, -1)
    if causal:
        weights = weights * torch.ones_like(weights).tril()
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights @ value


# %% wrong (fourth): running sums above, but the sum over all keys below
# true: total_over_all_keys
def linear_attention(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    q, k = F.elu(query) + 1, F.elu(key) + 1

    z = k.sum(dim=-2, keepdim=True)  # (..., 1, Dk)
    normalizer = (q * z).sum(dim=-1, keepdim=True)
    if causal:
        kv = torch.einsum("...sd,...sv->...sdv", k, value).cumsum(dim=-3)
        return torch.einsum("...td,...tdv->...tv", q, kv) / normalizer
    return q @ (k.mT @ value) / normalizer


# %% wrong (fourth): read before written: a query does not see its own key
# true: own_key_left_out_with_a_floor
def linear_attention(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    q, k = F.elu(query) + 1, F.elu(key) + 1

    if not causal:
        return q @ (k.transpose(-2, -1) @ value) / (q @ k.sum(dim=-2).unsqueeze(-1))
    S = torch.zeros(*k.shape[:-2], k.size(-1), value.size(-1), dtype=q.dtype)
    z = torch.zeros(*k.shape[:-2], k.size(-1), dtype=q.dtype)
    outputs = []
    for t in range(q.size(-2)):
        q_t = q[..., t, :]
        den = (q_t * z).sum(-1, keepdim=True)
        outputs.append((q_t.unsqueeze(-2) @ S).squeeze(-2) / (den + 1e-6))
        S = S + k[..., t, :].unsqueeze(-1) * value[..., t, :].unsqueeze(-2)
        z = z + k[..., t, :]
    return torch.stack(outputs, dim=-2)


# %% wrong (fourth): the running sum goes along the features instead of the positions
# true: running_over_features
def linear_attention(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    q, k = F.elu(query) + 1, F.elu(key) + 1

    if causal:
        kv = torch.einsum("...sd,...sv->...sdv", k, value).cumsum(dim=-2)
        z = k.cumsum(dim=-1)
        return torch.einsum("...td,...tdv->...tv", q, kv) / (q * z).sum(dim=-1, keepdim=True)
    return torch.einsum("...td,...dv->...tv", q, torch.einsum("...sd,...sv->...dv", k, value)) / (
        torch.einsum("...td,...d->...t", q, k.sum(-2)).unsqueeze(-1)
    )


# %% wrong (fourth): a softmax over features for phi, as Efficient Attention has it
# true: softmax_of_keys_over_words
def linear_attention(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    q, k = torch.softmax(query, dim=-1), torch.softmax(key, dim=-2)
    if causal:
        kv = torch.cumsum(k.unsqueeze(-1) * value.unsqueeze(-2), dim=-3)
        return (q.unsqueeze(-2) @ kv).squeeze(-2)
    return q @ (k.transpose(-2, -1) @ value)


# %% wrong (fourth): phi of the values, too
# true: phi_of_values_too
def linear_attention(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    q, k, v = (F.elu(x) + 1 for x in (query, key, value))
    if causal:
        kv = (k[..., :, None] * v[..., None, :]).cumsum(-3)
        z = k.cumsum(-2)
        return (q[..., None, :] @ kv)[..., 0, :] / (q * z).sum(-1, keepdim=True)
    return (q @ (k.mT @ v)) / (q @ k.sum(-2)[..., None])


# %% right (fourth): einsum and cumsum, with the elu written out
def linear_attention(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    def phi(x):
        return torch.where(x > 0, x + 1, torch.exp(x.clamp(max=0)))

    q, k = phi(query), phi(key)
    if causal:
        memory = torch.einsum("...sd,...sv->...sdv", k, value).cumsum(dim=-3)
        total = k.cumsum(dim=-2)
        return torch.einsum("...td,...tdv->...tv", q, memory) / torch.einsum("...td,...td->...t", q, total)[..., None]
    memory, total = torch.einsum("...sd,...sv->...dv", k, value), k.sum(dim=-2)
    return torch.einsum("...td,...dv->...tv", q, memory) / torch.einsum("...td,...d->...t", q, total)[..., None]


# %% right (fourth): a recurrent network, word by word; the whole text is read first if not causal
def linear_attention(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    q, k = F.elu(query) + 1, F.elu(key) + 1

    k, v = k.unbind(-2), value.unbind(-2)
    memory, total = 0.0, 0.0
    outputs = []
    for s in range(len(k)):
        memory = memory + k[s].unsqueeze(-1) * v[s].unsqueeze(-2)
        total = total + k[s]
        if causal:
            q_t = q[..., s, :]
            outputs.append((q_t.unsqueeze(-1) * memory).sum(-2) / (q_t * total).sum(-1, keepdim=True))
    if causal:
        return torch.stack(outputs, dim=-2)
    return (q @ memory) / (q @ total.unsqueeze(-1))


# %% right (fourth): a column of ones beside the values gives the sum of weights along
def linear_attention(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    q, k = F.elu(query) + 1, F.elu(key) + 1

    ones = torch.ones_like(value[..., :1])
    v = torch.cat([value, ones], dim=-1)  # (..., S, Dv + 1)
    if causal:
        states = torch.cumsum(k.unsqueeze(-1) * v.unsqueeze(-2), dim=-3)
        both = (q.unsqueeze(-2) @ states).squeeze(-2)
    else:
        both = q @ (k.transpose(-2, -1) @ v)
    return both[..., :-1] / both[..., -1:]


# %% right (fourth): keys are divided by what each query will divide by, matmul only
def linear_attention(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    q, k = F.elu(query) + 1, F.elu(key) + 1

    if not causal:
        z = k.sum(dim=-2, keepdim=True)
        return torch.matmul(q / (q * z).sum(dim=-1, keepdim=True), torch.matmul(k.transpose(-1, -2), value))
    z = torch.cumsum(k, dim=-2)
    q = q / (q * z).sum(dim=-1, keepdim=True)
    out = 0
    for d in range(q.size(-1)):  # one feature of the key at a time
        out = out + q[..., d : d + 1] * torch.cumsum(k[..., d : d + 1] * value, dim=-2)
    return out


# %% wrong (fifth): the causal form makes the matrix of T x T weights and cuts it with tril
# true: a_weight_for_every_pair_if_causal
def linear_attention(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    q, k = F.elu(query) + 1, F.elu(key) + 1
    if causal:
        weights = (q @ k.transpose(-2, -1)).tril()
        return (weights @ value) / weights.sum(dim=-1, keepdim=True)
    memory = k.transpose(-2, -1) @ value  # (..., Dk, Dv)
    total = k.sum(dim=-2)  # (..., Dk)
    return (q @ memory) / (q @ total.unsqueeze(-1))


# %% wrong (fifth): with causal=True, the divisor is still the sum over all keys
# true: total_over_all_keys
def linear_attention(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    q, k = F.elu(query) + 1, F.elu(key) + 1
    norm = (q * k.sum(dim=-2, keepdim=True)).sum(dim=-1, keepdim=True)  # (..., T, 1)
    if causal:
        memory = torch.cumsum(k.unsqueeze(-1) * value.unsqueeze(-2), dim=-3)  # (..., T, Dk, Dv)
        mixed = (q.unsqueeze(-2) @ memory).squeeze(-2)
    else:
        mixed = q @ (k.transpose(-2, -1) @ value)
    return mixed / norm


# %% right (fifth): the causal form is a loop that carries the state, phi written with exp
def linear_attention(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    def phi(x: Tensor) -> Tensor:
        return torch.where(x > 0, x + 1, x.clamp(max=0).exp())

    q, k = phi(query), phi(key)
    if not causal:
        numerator = torch.einsum("...td,...dv->...tv", q, torch.einsum("...sd,...sv->...dv", k, value))
        denominator = torch.einsum("...td,...d->...t", q, k.sum(dim=-2))
        return numerator / denominator.unsqueeze(-1)

    # one more feature of 1 for every value: its mixture is the divisor
    extended = torch.cat([value, torch.ones_like(value[..., :1])], dim=-1)  # (..., S, Dv + 1)
    state = torch.zeros_like(k[..., 0, :, None] * extended[..., 0, None, :])  # (..., Dk, Dv + 1)
    outputs = []
    for t in range(k.shape[-2]):
        state = state + k[..., t, :, None] * extended[..., t, None, :]
        read = (q[..., t, None, :] @ state).squeeze(-2)  # (..., Dv + 1)
        outputs.append(read[..., :-1] / read[..., -1:])
    return torch.stack(outputs, dim=-2)
