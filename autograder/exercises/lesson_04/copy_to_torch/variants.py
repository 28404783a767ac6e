def torchs_like(attention, **settings):
    bias = attention.w_o.bias is not None
    share = attention.dropout.p
    return nn.MultiheadAttention(
        attention.w_o.in_features, attention.num_heads, share, bias=bias, batch_first=True, **settings
    )


def fill_torchs(module, weights, biases, last):
    module.in_proj_weight.data.copy_(weights)
    module.out_proj.weight.data.copy_(last.weight)
    if last.bias is not None:
        module.in_proj_bias.data.copy_(biases())
        module.out_proj.bias.data.copy_(last.bias)
    return module


# %% right: through state dicts
def copy_to_torch(attention):
    ours = attention.state_dict()
    has_bias = "w_q.bias" in ours
    state = {
        "in_proj_weight": torch.cat([ours["w_q.weight"], ours["w_k.weight"], ours["w_v.weight"]]),
        "out_proj.weight": ours["w_o.weight"],
    }
    if has_bias:
        state["in_proj_bias"] = torch.cat([ours["w_q.bias"], ours["w_k.bias"], ours["w_v.bias"]])
        state["out_proj.bias"] = ours["w_o.bias"]
    module = nn.MultiheadAttention(
        len(ours["w_q.weight"]), attention.num_heads, attention.dropout.p, bias=has_bias, batch_first=True
    ).to(ours["w_q.weight"])
    module.load_state_dict(state)
    return module


# %% right: block by block
def copy_to_torch(attention):
    d_model = attention.w_q.in_features
    has_bias = attention.w_q.bias is not None
    module = nn.MultiheadAttention(
        d_model, attention.num_heads, dropout=attention.dropout.p, bias=has_bias, batch_first=True
    )
    module = module.to(attention.w_q.weight.dtype)
    for i, layer in enumerate((attention.w_q, attention.w_k, attention.w_v)):
        block = slice(i * d_model, (i + 1) * d_model)
        module.in_proj_weight.data[block] = layer.weight.data
        if has_bias:
            module.in_proj_bias.data[block] = layer.bias.data
    module.out_proj.load_state_dict(attention.w_o.state_dict())
    return module


# %% right: stacked and flattened
def copy_to_torch(attention):
    q, k, v, o = attention.w_q, attention.w_k, attention.w_v, attention.w_o
    module = nn.MultiheadAttention(
        q.in_features, attention.num_heads, attention.dropout.p, q.bias is not None, batch_first=True
    )
    module.in_proj_weight = nn.Parameter(torch.stack([q.weight, k.weight, v.weight]).flatten(0, 1).detach())
    module.out_proj.weight = nn.Parameter(o.weight.detach().clone())
    if q.bias is not None:
        module.in_proj_bias = nn.Parameter(torch.hstack([q.bias, k.bias, v.bias]).detach())
        module.out_proj.bias = nn.Parameter(o.bias.detach().clone())
    return module


# %% right: with a deep copy
def copy_to_torch(attention):
    import copy

    layers = copy.deepcopy([attention.w_q, attention.w_k, attention.w_v, attention.w_o])
    has_bias = layers[0].bias is not None
    module = nn.MultiheadAttention(
        layers[0].out_features, attention.num_heads, attention.dropout.p, bias=has_bias, batch_first=True
    )
    module.in_proj_weight.data = torch.vstack([layer.weight.data for layer in layers[:3]])
    module.out_proj.weight.data = layers[3].weight.data
    if has_bias:
        module.in_proj_bias.data = torch.cat([layer.bias.data for layer in layers[:3]])
        module.out_proj.bias.data = layers[3].bias.data
    return module


# %% wrong: one row of each
# true: stacked_side_by_side
def copy_to_torch(attention):
    layers = (attention.w_q, attention.w_k, attention.w_v)
    module = nn.MultiheadAttention(
        attention.w_o.in_features,
        attention.num_heads,
        attention.dropout.p,
        bias=attention.w_o.bias is not None,
        batch_first=True,
    ).to(attention.w_o.weight.dtype)
    module.in_proj_weight.data = torch.stack([layer.weight.data for layer in layers], dim=1).flatten(0, 1)
    module.out_proj.load_state_dict(attention.w_o.state_dict())
    if attention.w_o.bias is not None:
        module.in_proj_bias.data = torch.cat([layer.bias.data for layer in layers])
    return module


# %% wrong: biases side by side
# true: biases_interleaved
def copy_to_torch(attention):
    layers = (attention.w_q, attention.w_k, attention.w_v)
    stacked = torch.cat([layer.weight for layer in layers])
    module = torchs_like(attention, dtype=stacked.dtype)
    return fill_torchs(
        module, stacked, lambda: torch.stack([layer.bias for layer in layers], -1).view(-1), attention.w_o
    )


# %% wrong: chunks given other names
# true: first_three_forgotten
def copy_to_torch(attention):
    module = torchs_like(attention).to(attention.w_o.weight.dtype)
    with torch.no_grad():
        q, k, v = module.in_proj_weight.chunk(3)
        q, k, v = attention.w_q.weight, attention.w_k.weight, attention.w_v.weight  # noqa: F841
        module.out_proj.load_state_dict(attention.w_o.state_dict())
        if attention.w_o.bias is not None:
            module.in_proj_bias.copy_(
                torch.cat([layer.bias for layer in (attention.w_q, attention.w_k, attention.w_v)])
            )
    return module


# %% wrong: in double whatever comes
# true: double_precision
def copy_to_torch(attention):
    layers = (attention.w_q, attention.w_k, attention.w_v)
    module = torchs_like(attention).double()
    stacked = torch.cat([layer.weight for layer in layers]).double()
    return fill_torchs(module, stacked, lambda: torch.cat([layer.bias for layer in layers]), attention.w_o)


# %% wrong: evaluated first
# true: original_put_into_evaluation
def copy_to_torch(attention):
    attention.train(False)
    layers = (attention.w_q, attention.w_k, attention.w_v)
    stacked = torch.cat([layer.weight for layer in layers])
    module = torchs_like(attention, dtype=stacked.dtype)
    return fill_torchs(module, stacked, lambda: torch.cat([layer.bias for layer in layers]), attention.w_o)


# %% wrong: frozen for the copy
# true: original_frozen
def copy_to_torch(attention):
    for parameter in attention.parameters():
        parameter.requires_grad = False
    layers = (attention.w_q, attention.w_k, attention.w_v)
    module = torchs_like(attention, dtype=attention.w_o.weight.dtype)
    stacked = torch.cat([layer.weight for layer in layers])
    return fill_torchs(module, stacked, lambda: torch.cat([layer.bias for layer in layers]), attention.w_o)


# %% trivial: the original
def copy_to_torch(attention):
    return attention


# %% trivial: a new module
def copy_to_torch(attention):
    return nn.MultiheadAttention(attention.w_q.in_features, attention.num_heads, attention.dropout.p, batch_first=True)


# %% trivial: a new module with the same settings
def copy_to_torch(attention):
    return nn.MultiheadAttention(
        attention.w_q.in_features,
        attention.num_heads,
        dropout=attention.dropout.p,
        bias=attention.w_q.bias is not None,
        batch_first=True,
        dtype=attention.w_q.weight.dtype,
    )


# %% trivial: all zeros
def copy_to_torch(attention):
    module = nn.MultiheadAttention(
        attention.w_q.in_features, attention.num_heads, attention.dropout.p, attention.w_q.bias is not None
    )
    for parameter in module.parameters():
        parameter.data.zero_()
    return module
