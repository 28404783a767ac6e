# %% wrong (first): the new parameters are views of the module's tensor, so both train each other
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

# %% wrong (first): names that do not exist are loaded with strict=False, so W_q, W_k and W_v keep their random numbers
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

# %% wrong (first): every third row is taken for a matrix, where the matrices lie below each other
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

# %% wrong (first): the layer always has biases, random ones where the module has none
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

# %% wrong (first): the width of a head is handed over as the number of heads
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

# %% wrong (first): the dropout is left at its default / so is the type of numbers
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

# %% wrong (first): the square weights are transposed
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

# %% wrong (first): copies in place into parameters that require gradients, which raises
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

# %% wrong (first): the bias of W_o is not copied / keys and values are exchanged
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

# %% wrong (first): the module that was handed in is turned to float64 on the way, and so is the new one
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

# %% right (first): a state dict with our names
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

# %% right (first): slices copied under no_grad
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

# %% right (first): new parameters from clones
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

# %% wrong (second): the new layer's tensors are views of the module's own, so that training one changes the other
# true: weights_shared
def copy_from_torch(module: nn.MultiheadAttention) -> MultiHeadAttention:
    has_bias = module.in_proj_bias is not None
    ours = MultiHeadAttention(module.embed_dim, module.num_heads, dropout=module.dropout, bias=has_bias)
    ours = ours.to(module.in_proj_weight.dtype)
    wq, wk, wv = module.in_proj_weight.data.chunk(3, dim=0)
    ours.w_q.weight.data = wq
    ours.w_k.weight.data = wk
    ours.w_v.weight.data = wv
    ours.w_o.weight.data = module.out_proj.weight.data
    if has_bias:
        bq, bk, bv = module.in_proj_bias.data.chunk(3)
        ours.w_q.bias.data, ours.w_k.bias.data, ours.w_v.bias.data = bq, bk, bv
        ours.w_o.bias.data = module.out_proj.bias.data
    return ours

# %% wrong (second): the dropout is not taken over / the new layer is always float32, whatever type the module has
# true: dropout_forgotten, single_precision
def copy_from_torch(module: nn.MultiheadAttention) -> MultiHeadAttention:
    d = module.embed_dim
    bias = module.in_proj_bias is not None
    attn = MultiHeadAttention(d, module.num_heads, bias=bias)
    with torch.no_grad():
        attn.w_q.weight.copy_(module.in_proj_weight[:d])
        attn.w_k.weight.copy_(module.in_proj_weight[d:2 * d])
        attn.w_v.weight.copy_(module.in_proj_weight[2 * d:])
        attn.w_o.weight.copy_(module.out_proj.weight)
        if bias:
            attn.w_q.bias.copy_(module.in_proj_bias[:d])
            attn.w_k.bias.copy_(module.in_proj_bias[d:2 * d])
            attn.w_v.bias.copy_(module.in_proj_bias[2 * d:])
            attn.w_o.bias.copy_(module.out_proj.bias)
    return attn

# %% wrong (second): it asks bias_k whether there are biases, which is None in an ordinary module, so the biases are always lost
# true: biases_lost
def copy_from_torch(module: nn.MultiheadAttention) -> MultiHeadAttention:
    use_bias = module.bias_k is not None
    new = MultiHeadAttention(module.embed_dim, module.num_heads, module.dropout, bias=use_bias)
    new = new.to(device=module.out_proj.weight.device, dtype=module.out_proj.weight.dtype)
    q, k, v = torch.split(module.in_proj_weight, module.embed_dim)
    new.w_q.weight = nn.Parameter(q.detach().clone())
    new.w_k.weight = nn.Parameter(k.detach().clone())
    new.w_v.weight = nn.Parameter(v.detach().clone())
    new.w_o.weight = nn.Parameter(module.out_proj.weight.detach().clone())
    if use_bias:
        q, k, v = torch.split(module.in_proj_bias, module.embed_dim)
        new.w_q.bias = nn.Parameter(q.detach().clone())
        new.w_k.bias = nn.Parameter(k.detach().clone())
        new.w_v.bias = nn.Parameter(v.detach().clone())
        new.w_o.bias = nn.Parameter(module.out_proj.bias.detach().clone())
    return new

# %% right (second): in-place copies in a loop over the projections, without a graph
@torch.no_grad()
def copy_from_torch(module: nn.MultiheadAttention) -> MultiHeadAttention:
    with_bias = module.out_proj.bias is not None
    ours = MultiHeadAttention(module.embed_dim, module.num_heads, dropout=module.dropout, bias=with_bias)
    ours.to(module.out_proj.weight)
    targets = [ours.w_q, ours.w_k, ours.w_v]
    for target, rows in zip(targets, module.in_proj_weight.view(3, module.embed_dim, module.embed_dim)):
        target.weight.copy_(rows)
    if with_bias:
        for target, numbers in zip(targets, module.in_proj_bias.view(3, module.embed_dim)):
            target.bias.copy_(numbers)
        ours.w_o.bias.copy_(module.out_proj.bias)
    ours.w_o.weight.copy_(module.out_proj.weight)
    ours.train(module.training)
    return ours

# %% wrong (third): cuts in_proj_weight as if the rows of queries, keys and values took turns
# true: every_third_row, every_third_bias
def copy_from_torch(module: nn.MultiheadAttention) -> MultiHeadAttention:
    D = module.embed_dim
    has_bias = module.in_proj_bias is not None
    ours = MultiHeadAttention(D, module.num_heads, module.dropout, has_bias).to(module.in_proj_weight.dtype)
    weights = module.in_proj_weight.detach().view(D, 3, D).unbind(1)
    with torch.no_grad():
        for i, linear in enumerate((ours.w_q, ours.w_k, ours.w_v)):
            linear.weight.copy_(weights[i])
            if has_bias:
                linear.bias.copy_(module.in_proj_bias.view(D, 3)[:, i])
        ours.w_o.weight.copy_(module.out_proj.weight)
        if has_bias:
            ours.w_o.bias.copy_(module.out_proj.bias)
    return ours


# %% wrong (third): sets .data to pieces of the module's own tensors, so that the two share their numbers
# true: weights_shared
def copy_from_torch(module: nn.MultiheadAttention) -> MultiHeadAttention:
    bias = module.in_proj_bias is not None
    attention = MultiHeadAttention(module.embed_dim, module.num_heads, dropout=module.dropout, bias=bias)
    attention.w_q.weight.data, attention.w_k.weight.data, attention.w_v.weight.data = module.in_proj_weight.data.chunk(3)
    attention.w_o.weight.data = module.out_proj.weight.data
    if bias:
        attention.w_q.bias.data, attention.w_k.bias.data, attention.w_v.bias.data = module.in_proj_bias.data.chunk(3)
        attention.w_o.bias.data = module.out_proj.bias.data
    return attention


# %% wrong (third): hasattr finds in_proj_bias even where it is None, so that a module without biases becomes a layer with random ones
# true: always_with_biases
def copy_from_torch(module: nn.MultiheadAttention) -> MultiHeadAttention:
    attention = MultiHeadAttention(
        module.embed_dim, module.num_heads, dropout=module.dropout, bias=hasattr(module, "in_proj_bias")
    )
    attention = attention.to(device=module.in_proj_weight.device, dtype=module.in_proj_weight.dtype)
    w_q, w_k, w_v = module.in_proj_weight.split(module.embed_dim, dim=0)
    with torch.no_grad():
        attention.w_q.weight.copy_(w_q)
        attention.w_k.weight.copy_(w_k)
        attention.w_v.weight.copy_(w_v)
        attention.w_o.weight.copy_(module.out_proj.weight)
        if module.in_proj_bias is not None:
            b_q, b_k, b_v = module.in_proj_bias.split(module.embed_dim, dim=0)
            attention.w_q.bias.copy_(b_q)
            attention.w_k.bias.copy_(b_k)
            attention.w_v.bias.copy_(b_v)
            attention.w_o.bias.copy_(module.out_proj.bias)
    return attention


# %% right (third): a fresh layer whose parameters are filled one after the other from a flat list
def copy_from_torch(module: nn.MultiheadAttention) -> MultiHeadAttention:
    state = {name: tensor.detach().clone() for name, tensor in module.named_parameters()}
    sources = {"weight": [*state["in_proj_weight"].chunk(3), state["out_proj.weight"]]}
    if "in_proj_bias" in state:
        sources["bias"] = [*state["in_proj_bias"].chunk(3), state["out_proj.bias"]]
    attention = MultiHeadAttention(module.embed_dim, module.num_heads, float(module.dropout), "bias" in sources)
    attention.to(device=state["in_proj_weight"].device, dtype=state["in_proj_weight"].dtype)
    with torch.no_grad():
        for kind, tensors in sources.items():
            for name, tensor in zip(("w_q", "w_k", "w_v", "w_o"), tensors, strict=True):
                attention.get_parameter(f"{name}.{kind}").copy_(tensor)
    return attention

# %% wrong (last): the new module stays float32, and load_state_dict rounds the weights without a word
# true: single_precision
# Violates "the same type of numbers".
def copy_from_torch(module: nn.MultiheadAttention) -> MultiHeadAttention:
    bias = module.in_proj_bias is not None
    attention = MultiHeadAttention(module.embed_dim, module.num_heads, dropout=module.dropout, bias=bias)
    q, k, v = module.in_proj_weight.detach().chunk(3)
    state = {"w_q.weight": q, "w_k.weight": k, "w_v.weight": v, "w_o.weight": module.out_proj.weight.detach()}
    if bias:
        bq, bk, bv = module.in_proj_bias.detach().chunk(3)
        state.update({"w_q.bias": bq, "w_k.bias": bk, "w_v.bias": bv, "w_o.bias": module.out_proj.bias.detach()})
    attention.load_state_dict(state)
    return attention


# %% wrong (last): head_dim, the width of a head, is handed over as the number of heads
# true: heads_and_width_swapped
# Violates "A new module with as many heads".
def copy_from_torch(module: nn.MultiheadAttention) -> MultiHeadAttention:
    D = module.embed_dim
    has_bias = module.in_proj_bias is not None
    ours = MultiHeadAttention(D, module.head_dim, module.dropout, has_bias).to(module.in_proj_weight.dtype)
    with torch.no_grad():
        for n, layer in enumerate([ours.w_q, ours.w_k, ours.w_v]):
            layer.weight.copy_(module.in_proj_weight[n * D : (n + 1) * D])
            if has_bias:
                layer.bias.copy_(module.in_proj_bias[n * D : (n + 1) * D])
        ours.w_o.weight.copy_(module.out_proj.weight)
        if has_bias:
            ours.w_o.bias.copy_(module.out_proj.bias)
    return ours


# %% right (last): unflatten into three, new Parameters from clones
def copy_from_torch(module: nn.MultiheadAttention) -> MultiHeadAttention:
    def stacked(three: Tensor, last: Tensor) -> list[nn.Parameter]:
        return [nn.Parameter(part.detach().clone()) for part in (*three.unflatten(0, (3, -1)), last)]

    with_bias = module.out_proj.bias is not None
    ours = MultiHeadAttention(module.embed_dim, module.num_heads, module.dropout, with_bias)
    layers = [ours.w_q, ours.w_k, ours.w_v, ours.w_o]
    for layer, weight in zip(layers, stacked(module.in_proj_weight, module.out_proj.weight), strict=True):
        layer.weight = weight
    if with_bias:
        for layer, bias in zip(layers, stacked(module.in_proj_bias, module.out_proj.bias), strict=True):
            layer.bias = bias
    return ours.train(module.training)
