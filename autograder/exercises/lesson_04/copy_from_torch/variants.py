def ours_like(module, bias=None):
    bias = module.in_proj_bias is not None if bias is None else bias
    return MultiHeadAttention(module.embed_dim, module.num_heads, module.dropout, bias)


def fill_ours(attention, module):
    state = dict(zip(("w_q.weight", "w_k.weight", "w_v.weight"), module.in_proj_weight.chunk(3), strict=True))
    state["w_o.weight"] = module.out_proj.weight
    if module.in_proj_bias is not None:
        state |= zip(("w_q.bias", "w_k.bias", "w_v.bias"), module.in_proj_bias.chunk(3), strict=True)
        state["w_o.bias"] = module.out_proj.bias
    attention.load_state_dict(state, strict=False)
    return attention


# %% right: through state dicts
def copy_from_torch(module):
    torchs = module.state_dict()
    q, k, v = torchs["in_proj_weight"].chunk(3)
    state = {"w_q.weight": q, "w_k.weight": k, "w_v.weight": v, "w_o.weight": torchs["out_proj.weight"]}
    has_bias = "in_proj_bias" in torchs
    if has_bias:
        q, k, v = torchs["in_proj_bias"].chunk(3)
        state |= {"w_q.bias": q, "w_k.bias": k, "w_v.bias": v, "w_o.bias": torchs["out_proj.bias"]}
    ours = MultiHeadAttention(module.embed_dim, module.num_heads, module.dropout, bias=has_bias).to(q.dtype)
    ours.load_state_dict(state)
    return ours


# %% right: block by block
def copy_from_torch(module):
    D = module.embed_dim
    biased = module.out_proj.bias is not None
    attention = MultiHeadAttention(d_model=D, num_heads=module.num_heads, dropout=module.dropout, bias=biased)
    attention = attention.type(module.out_proj.weight.dtype)
    for i, name in enumerate(["w_q", "w_k", "w_v"]):
        layer = getattr(attention, name)
        layer.weight.data[:] = module.in_proj_weight.data[i * D : (i + 1) * D]
        if biased:
            layer.bias.data[:] = module.in_proj_bias.data[i * D : (i + 1) * D]
    attention.w_o.load_state_dict(module.out_proj.state_dict())
    return attention


# %% right: new parameters
def copy_from_torch(module):
    biased = module.in_proj_bias is not None
    attention = MultiHeadAttention(module.embed_dim, module.num_heads, module.dropout, biased)
    weights = module.in_proj_weight.detach().clone().unflatten(0, (3, -1))
    for layer, weight in zip([attention.w_q, attention.w_k, attention.w_v], weights, strict=True):
        layer.weight = torch.nn.Parameter(weight)
    attention.w_o.weight = torch.nn.Parameter(module.out_proj.weight.detach().clone())
    if biased:
        biases = module.in_proj_bias.detach().clone().view(3, -1)
        for layer, bias in zip([attention.w_q, attention.w_k, attention.w_v], biases, strict=True):
            layer.bias = torch.nn.Parameter(bias)
        attention.w_o.bias = torch.nn.Parameter(module.out_proj.bias.detach().clone())
    return attention


# %% right: with a deep copy
def copy_from_torch(module):
    import copy

    attention = MultiHeadAttention(module.embed_dim, module.num_heads, module.dropout, module.in_proj_bias is not None)
    attention = attention.to(module.in_proj_weight)
    attention.w_o = copy.deepcopy(module.out_proj)
    names = ("w_q", "w_k", "w_v")
    for name, weight in zip(names, module.in_proj_weight.split(module.embed_dim), strict=True):
        attention.get_parameter(f"{name}.weight").data.copy_(weight)
    if module.in_proj_bias is not None:
        for name, bias in zip(names, module.in_proj_bias.split(module.embed_dim), strict=True):
            attention.get_parameter(f"{name}.bias").data.copy_(bias)
    return attention


# %% wrong: cut side by side
# true: every_third_row
def copy_from_torch(module):
    bias = module.in_proj_bias is not None
    attention = MultiHeadAttention(module.embed_dim, module.num_heads, module.dropout, bias)
    attention.to(module.in_proj_weight.dtype)
    wide = module.in_proj_weight.detach().view(-1, 3 * module.embed_dim)
    for i, layer in enumerate((attention.w_q, attention.w_k, attention.w_v)):
        layer.weight.data = wide[:, i * module.embed_dim : (i + 1) * module.embed_dim].clone()
        if bias:
            layer.bias.data = module.in_proj_bias.detach().chunk(3)[i].clone()
    attention.w_o.load_state_dict(module.out_proj.state_dict())
    return attention


# %% wrong: only the last weight forgotten
# true: last_layer_forgotten
def copy_from_torch(module):
    bias = module.in_proj_bias is not None
    attention = MultiHeadAttention(module.embed_dim, module.num_heads, module.dropout, bias)
    attention.to(module.in_proj_weight.dtype)
    for i, layer in enumerate((attention.w_q, attention.w_k, attention.w_v)):
        layer.weight.data = module.in_proj_weight.detach().chunk(3)[i].clone()
        if bias:
            layer.bias.data = module.in_proj_bias.detach().chunk(3)[i].clone()
    if bias:
        attention.w_o.bias.data = module.out_proj.bias.detach().clone()
    return attention


# %% wrong: biases cut side by side
# true: every_third_bias
def copy_from_torch(module):
    attention = ours_like(module).to(module.in_proj_weight.dtype)
    layers = (attention.w_q, attention.w_k, attention.w_v)
    for layer, block in zip(layers, module.in_proj_weight.split(module.embed_dim), strict=True):
        layer.weight.data = block.detach().clone()
    if module.in_proj_bias is not None:
        for layer, column in zip(layers, module.in_proj_bias.view(-1, 3).T, strict=True):
            layer.bias.data = column.detach().clone()
    attention.w_o.load_state_dict(module.out_proj.state_dict())
    return attention


# %% wrong: three for each head
# true: blocks_cut_head_by_head
def copy_from_torch(module):
    attention = ours_like(module).to(module.in_proj_weight.dtype)
    names = [name for _ in range(module.num_heads) for name in ("w_q", "w_k", "w_v")]
    parts = module.in_proj_weight.detach().split(module.head_dim)
    for name in ("w_q", "w_k", "w_v"):
        mine = [part for owner, part in zip(names, parts, strict=True) if owner == name]
        getattr(attention, name).weight.data = torch.cat(mine)
    if module.in_proj_bias is not None:
        numbers = module.in_proj_bias.detach().split(module.head_dim)
        for name in ("w_q", "w_k", "w_v"):
            mine = [part for owner, part in zip(names, numbers, strict=True) if owner == name]
            getattr(attention, name).bias.data = torch.cat(mine)
    attention.w_o.load_state_dict(module.out_proj.state_dict())
    return attention


# %% wrong: last weight without its bias
# true: last_bias_forgotten
def copy_from_torch(module):
    attention = ours_like(module).to(module.in_proj_weight.dtype)
    state = dict(zip(("w_q.weight", "w_k.weight", "w_v.weight"), module.in_proj_weight.chunk(3), strict=True))
    if module.in_proj_bias is not None:
        state |= zip(("w_q.bias", "w_k.bias", "w_v.bias"), module.in_proj_bias.chunk(3), strict=True)
    attention.load_state_dict({**state, "w_o.weight": module.out_proj.weight}, strict=False)
    return attention


# %% wrong: torchs evaluated
# true: original_put_into_evaluation
def copy_from_torch(module):
    module.train(mode=False)
    return fill_ours(ours_like(module).to(module.in_proj_weight.dtype), module)


# %% trivial: the original
def copy_from_torch(module):
    return module


# %% trivial: a new module
def copy_from_torch(module):
    return MultiHeadAttention(module.embed_dim, module.num_heads)


# %% trivial: a new module with the same settings
def copy_from_torch(module):
    attention = MultiHeadAttention(module.embed_dim, module.num_heads, module.dropout, module.in_proj_bias is not None)
    return attention.to(module.in_proj_weight)


# %% trivial: all zeros
def copy_from_torch(module):
    attention = MultiHeadAttention(module.embed_dim, module.num_heads, module.dropout, module.in_proj_bias is not None)
    for parameter in attention.parameters():
        parameter.data.zero_()
    return attention
