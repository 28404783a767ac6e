# %% wrong: the new parameters are views of the module's tensor, so both train each other
# true: weights_shared
def copy_from_torch(module: nn.MultiheadAttention) -> MultiHeadAttention:
    bias = module.in_proj_bias is not None
    ours = MultiHeadAttention(module.embed_dim, module.num_heads, dropout=module.dropout, bias=bias)
    q, k, v = module.in_proj_weight.data.chunk(3, dim=0)
    ours.w_q.weight = nn.Parameter(q)
    ours.w_k.weight = nn.Parameter(k)
    ours.w_v.weight = nn.Parameter(v)
    ours.w_o.weight = nn.Parameter(module.out_proj.weight.data)
    if bias:
        bq, bk, bv = module.in_proj_bias.data.chunk(3)
        ours.w_q.bias = nn.Parameter(bq)
        ours.w_k.bias = nn.Parameter(bk)
        ours.w_v.bias = nn.Parameter(bv)
        ours.w_o.bias = nn.Parameter(module.out_proj.bias.data)
    return ours

# %% wrong: names that do not exist are loaded with strict=False, so W_q, W_k and W_v keep their random numbers
# true: first_three_forgotten
def copy_from_torch(module: nn.MultiheadAttention) -> MultiHeadAttention:
    has_bias = module.in_proj_bias is not None
    attention = MultiHeadAttention(module.embed_dim, module.num_heads, module.dropout, has_bias)
    attention = attention.to(module.in_proj_weight.dtype)
    state = {}
    for name, part in zip(("q_proj", "k_proj", "v_proj"), module.in_proj_weight.detach().chunk(3)):
        state[name + ".weight"] = part.clone()
    state["w_o.weight"] = module.out_proj.weight.detach().clone()
    if has_bias:
        for name, part in zip(("q_proj", "k_proj", "v_proj"), module.in_proj_bias.detach().chunk(3)):
            state[name + ".bias"] = part.clone()
        state["w_o.bias"] = module.out_proj.bias.detach().clone()
    attention.load_state_dict(state, strict=False)
    return attention

# %% wrong: every third row is taken for a matrix, where the matrices lie below each other
# true: every_third_row, every_third_bias
def copy_from_torch(module: nn.MultiheadAttention) -> MultiHeadAttention:
    bias = module.in_proj_bias is not None
    new = MultiHeadAttention(module.embed_dim, module.num_heads, dropout=module.dropout, bias=bias)
    new = new.to(module.in_proj_weight.dtype)
    with torch.no_grad():
        for i, layer in enumerate([new.w_q, new.w_k, new.w_v]):
            layer.weight.copy_(module.in_proj_weight[i::3])
            if bias:
                layer.bias.copy_(module.in_proj_bias[i::3])
        new.w_o.weight.copy_(module.out_proj.weight)
        if bias:
            new.w_o.bias.copy_(module.out_proj.bias)
    return new

# %% wrong: the layer always has biases, random ones where the module has none
# true: always_with_biases
def copy_from_torch(module: nn.MultiheadAttention) -> MultiHeadAttention:
    D = module.embed_dim
    ours = MultiHeadAttention(D, module.num_heads, module.dropout).to(module.in_proj_weight.dtype)
    W = module.in_proj_weight.data
    ours.w_q.weight.data.copy_(W[:D])
    ours.w_k.weight.data.copy_(W[D:2 * D])
    ours.w_v.weight.data.copy_(W[2 * D:])
    ours.w_o.weight.data.copy_(module.out_proj.weight.data)
    if module.in_proj_bias is not None:
        b = module.in_proj_bias.data
        ours.w_q.bias.data.copy_(b[:D])
        ours.w_k.bias.data.copy_(b[D:2 * D])
        ours.w_v.bias.data.copy_(b[2 * D:])
        ours.w_o.bias.data.copy_(module.out_proj.bias.data)
    return ours

# %% wrong: the width of a head is handed over as the number of heads
# true: heads_and_width_swapped
def copy_from_torch(module: nn.MultiheadAttention) -> MultiHeadAttention:
    bias = module.out_proj.bias is not None
    attention = MultiHeadAttention(module.embed_dim, module.head_dim, dropout=module.dropout, bias=bias)
    attention.to(module.out_proj.weight.dtype)
    D = module.embed_dim
    with torch.no_grad():
        for n, name in enumerate(["w_q", "w_k", "w_v"]):
            layer = getattr(attention, name)
            layer.weight.copy_(module.in_proj_weight[n * D:(n + 1) * D])
            if bias:
                layer.bias.copy_(module.in_proj_bias[n * D:(n + 1) * D])
    attention.w_o.load_state_dict(module.out_proj.state_dict())
    return attention

# %% wrong: the dropout is left at its default / so is the type of numbers
# true: dropout_forgotten, single_precision
def copy_from_torch(module: nn.MultiheadAttention) -> MultiHeadAttention:
    bias = module.in_proj_bias is not None
    attention = MultiHeadAttention(module.embed_dim, module.num_heads, bias=bias)
    weights = module.in_proj_weight.detach().clone().chunk(3)
    targets = (attention.w_q, attention.w_k, attention.w_v)
    for target, weight in zip(targets, weights):
        target.weight.data.copy_(weight)
    if bias:
        for target, b in zip(targets, module.in_proj_bias.detach().clone().chunk(3)):
            target.bias.data.copy_(b)
    attention.w_o.load_state_dict(module.out_proj.state_dict())
    return attention

# %% wrong: the square weights are transposed
# true: weights_transposed
def copy_from_torch(module: nn.MultiheadAttention) -> MultiHeadAttention:
    bias = module.in_proj_bias is not None
    ours = MultiHeadAttention(module.embed_dim, module.num_heads, module.dropout, bias)
    ours = ours.to(module.in_proj_weight.dtype)
    W_q, W_k, W_v = torch.split(module.in_proj_weight, module.embed_dim)
    with torch.no_grad():
        ours.w_q.weight.copy_(W_q.t())
        ours.w_k.weight.copy_(W_k.t())
        ours.w_v.weight.copy_(W_v.t())
        ours.w_o.weight.copy_(module.out_proj.weight.t())
        if bias:
            b_q, b_k, b_v = torch.split(module.in_proj_bias, module.embed_dim)
            ours.w_q.bias.copy_(b_q)
            ours.w_k.bias.copy_(b_k)
            ours.w_v.bias.copy_(b_v)
            ours.w_o.bias.copy_(module.out_proj.bias)
    return ours

# %% wrong: copies in place into parameters that require gradients, which raises
def copy_from_torch(module: nn.MultiheadAttention) -> MultiHeadAttention:
    bias = module.in_proj_bias is not None
    ours = MultiHeadAttention(module.embed_dim, module.num_heads, dropout=module.dropout, bias=bias)
    ours = ours.to(module.in_proj_weight.dtype)
    for layer, w in zip([ours.w_q, ours.w_k, ours.w_v], module.in_proj_weight.chunk(3)):
        layer.weight.copy_(w)
    ours.w_o.weight.copy_(module.out_proj.weight)
    if bias:
        for layer, b in zip([ours.w_q, ours.w_k, ours.w_v], module.in_proj_bias.chunk(3)):
            layer.bias.copy_(b)
        ours.w_o.bias.copy_(module.out_proj.bias)
    return ours

# %% wrong: the bias of W_o is not copied / keys and values are exchanged
def copy_from_torch(module: nn.MultiheadAttention) -> MultiHeadAttention:
    bias = module.in_proj_bias is not None
    ours = MultiHeadAttention(module.embed_dim, module.num_heads, dropout=float(module.dropout), bias=bias)
    ours.to(dtype=module.in_proj_weight.dtype)
    q, v, k = module.in_proj_weight.data.clone().chunk(3)
    ours.w_q.weight.data, ours.w_k.weight.data, ours.w_v.weight.data = q, k, v
    ours.w_o.weight.data = module.out_proj.weight.data.clone()
    if bias:
        q, v, k = module.in_proj_bias.data.clone().chunk(3)
        ours.w_q.bias.data, ours.w_k.bias.data, ours.w_v.bias.data = q, k, v
    return ours

# %% wrong: the module that was handed in is turned to float64 on the way, and so is the new one
# true: double_precision
def copy_from_torch(module: nn.MultiheadAttention) -> MultiHeadAttention:
    module = module.double()
    bias = module.in_proj_bias is not None
    ours = MultiHeadAttention(module.embed_dim, module.num_heads, module.dropout, bias).double()
    state = {f"w_{c}.weight": w for c, w in zip("qkv", module.in_proj_weight.chunk(3))}
    state["w_o.weight"] = module.out_proj.weight
    if bias:
        state |= {f"w_{c}.bias": b for c, b in zip("qkv", module.in_proj_bias.chunk(3))}
        state["w_o.bias"] = module.out_proj.bias
    ours.load_state_dict(state)
    return ours

# %% right: a state dict with our names
def copy_from_torch(module: nn.MultiheadAttention) -> MultiHeadAttention:
    has_bias = module.in_proj_bias is not None
    ours = MultiHeadAttention(module.embed_dim, module.num_heads, module.dropout, has_bias)
    ours = ours.to(module.in_proj_weight.dtype)
    state = {f"w_{letter}.weight": rows for letter, rows in zip("qkv", module.in_proj_weight.detach().chunk(3))}
    state["w_o.weight"] = module.out_proj.weight.detach()
    if has_bias:
        for letter, rows in zip("qkv", module.in_proj_bias.detach().chunk(3)):
            state[f"w_{letter}.bias"] = rows
        state["w_o.bias"] = module.out_proj.bias.detach()
    ours.load_state_dict(state)
    return ours

# %% right: slices copied under no_grad
def copy_from_torch(module: nn.MultiheadAttention) -> MultiHeadAttention:
    D = module.embed_dim
    bias = module.out_proj.bias is not None
    new = MultiHeadAttention(D, module.num_heads, dropout=module.dropout, bias=bias)
    new.to(module.out_proj.weight.dtype)
    with torch.no_grad():
        for start, layer in zip((0, D, 2 * D), (new.w_q, new.w_k, new.w_v)):
            layer.weight.copy_(module.in_proj_weight[start:start + D])
            if bias:
                layer.bias.copy_(module.in_proj_bias[start:start + D])
        new.w_o.weight.copy_(module.out_proj.weight)
        if bias:
            new.w_o.bias.copy_(module.out_proj.bias)
    return new

# %% right: new parameters from clones
def _own(t):
    return nn.Parameter(t.detach().clone())


def copy_from_torch(module: nn.MultiheadAttention) -> MultiHeadAttention:
    bias = module.in_proj_bias is not None
    ours = MultiHeadAttention(module.embed_dim, module.num_heads, module.dropout, bias=bias)
    parts = module.in_proj_weight.split(module.embed_dim, dim=0)
    ours.w_q.weight, ours.w_k.weight, ours.w_v.weight = map(_own, parts)
    ours.w_o.weight = _own(module.out_proj.weight)
    if bias:
        parts = module.in_proj_bias.split(module.embed_dim)
        ours.w_q.bias, ours.w_k.bias, ours.w_v.bias = map(_own, parts)
        ours.w_o.bias = _own(module.out_proj.bias)
    return ours
