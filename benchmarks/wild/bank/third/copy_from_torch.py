# %% wrong: cuts in_proj_weight as if the rows of queries, keys and values took turns
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


# %% wrong: sets .data to pieces of the module's own tensors, so that the two share their numbers
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


# %% wrong: hasattr finds in_proj_bias even where it is None, so that a module without biases becomes a layer with random ones
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


# %% right: a fresh layer whose parameters are filled one after the other from a flat list
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
