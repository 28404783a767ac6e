# %% wrong: W_o is not copied, the new module has the very parameters of the old one
# true: last_layer_shared
# Violates "Leave the original as it is: two modules that share a tensor would train each other".
def copy_to_torch(attention: MultiHeadAttention) -> nn.MultiheadAttention:
    weight = attention.w_q.weight
    has_bias = attention.w_q.bias is not None
    module = nn.MultiheadAttention(
        weight.size(0), attention.num_heads, dropout=attention.dropout.p, bias=has_bias, batch_first=True, dtype=weight.dtype
    )
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.cat([attention.w_q.weight, attention.w_k.weight, attention.w_v.weight]))
        if has_bias:
            module.in_proj_bias.copy_(torch.cat([attention.w_q.bias, attention.w_k.bias, attention.w_v.bias]))
    module.out_proj.weight = attention.w_o.weight
    if has_bias:
        module.out_proj.bias = attention.w_o.bias
    return module


# %% wrong: the module always has biases, zeros where ours has none / dropout is not taken over
# true: dropout_forgotten, always_with_biases
# Violates "A layer without biases becomes a module without biases" and "the same dropout".
def copy_to_torch(attention: MultiHeadAttention) -> nn.MultiheadAttention:
    d_model = attention.w_o.out_features
    mha = nn.MultiheadAttention(d_model, attention.num_heads, batch_first=True).to(attention.w_o.weight.dtype)
    with torch.no_grad():
        for i, linear in enumerate((attention.w_q, attention.w_k, attention.w_v)):
            mha.in_proj_weight[i * d_model : (i + 1) * d_model] = linear.weight
            if linear.bias is not None:
                mha.in_proj_bias[i * d_model : (i + 1) * d_model] = linear.bias
        mha.out_proj.weight.copy_(attention.w_o.weight)
        if attention.w_o.bias is not None:
            mha.out_proj.bias.copy_(attention.w_o.bias)
    return mha


# %% right: a state_dict is written and loaded, and the mode is taken over
def copy_to_torch(attention: MultiHeadAttention) -> nn.MultiheadAttention:
    ours = attention.state_dict()
    kinds = {name.rpartition(".")[2] for name in ours}  # {"weight"} or {"weight", "bias"}
    theirs = {f"in_proj_{kind}": torch.cat([ours[f"w_{x}.{kind}"] for x in "qkv"]) for kind in kinds}
    theirs |= {f"out_proj.{kind}": ours[f"w_o.{kind}"] for kind in kinds}
    example = ours["w_o.weight"]
    module = nn.MultiheadAttention(
        embed_dim=len(example),
        num_heads=attention.num_heads,
        dropout=attention.dropout.p,
        bias="bias" in kinds,
        batch_first=True,
        device=example.device,
        dtype=example.dtype,
    )
    module.load_state_dict(theirs)
    return module.train(attention.training)
