# %% wrong: hands over w_o itself, so that the two modules share it
# true: last_layer_shared
def copy_to_torch(attention: MultiHeadAttention) -> nn.MultiheadAttention:
    has_bias = attention.w_q.bias is not None
    d_model = attention.w_q.in_features
    mha = nn.MultiheadAttention(
        d_model, attention.num_heads, dropout=attention.dropout.p, bias=has_bias, batch_first=True
    ).to(attention.w_q.weight.dtype)
    with torch.no_grad():
        mha.in_proj_weight.copy_(torch.cat([attention.w_q.weight, attention.w_k.weight, attention.w_v.weight]))
        if has_bias:
            mha.in_proj_bias.copy_(torch.cat([attention.w_q.bias, attention.w_k.bias, attention.w_v.bias]))
    mha.out_proj = attention.w_o
    return mha


# %% wrong: the new module is float32 whatever the original is / and has no dropout
# true: dropout_forgotten, single_precision
def copy_to_torch(attention: MultiHeadAttention) -> nn.MultiheadAttention:
    D = attention.w_o.out_features
    bias = attention.w_o.bias is not None
    module = nn.MultiheadAttention(embed_dim=D, num_heads=attention.num_heads, bias=bias, batch_first=True)
    with torch.no_grad():
        for i, proj in enumerate([attention.w_q, attention.w_k, attention.w_v]):
            module.in_proj_weight[i * D : (i + 1) * D].copy_(proj.weight)
            if bias:
                module.in_proj_bias[i * D : (i + 1) * D].copy_(proj.bias)
        module.out_proj.weight.copy_(attention.w_o.weight)
        if bias:
            module.out_proj.bias.copy_(attention.w_o.bias)
    return module


# %% wrong: a layer without biases becomes a module with biases of zero
# true: always_with_biases
def copy_to_torch(attention: MultiHeadAttention) -> nn.MultiheadAttention:
    w = attention.w_q.weight
    out = nn.MultiheadAttention(
        w.shape[0], attention.num_heads, dropout=attention.dropout.p, batch_first=True, dtype=w.dtype, device=w.device
    )
    layers = [attention.w_q, attention.w_k, attention.w_v]
    out.in_proj_weight.data = torch.cat([l.weight.data for l in layers], dim=0)
    out.out_proj.weight.data = attention.w_o.weight.data.clone()
    if attention.w_q.bias is not None:
        out.in_proj_bias.data = torch.cat([l.bias.data for l in layers], dim=0)
        out.out_proj.bias.data = attention.w_o.bias.data.clone()
    return out


# %% right: a state dict put together from the original's, loaded strictly
def copy_to_torch(attention: MultiHeadAttention) -> nn.MultiheadAttention:
    old = attention.state_dict()
    kinds = [kind for kind in ("weight", "bias") if f"w_o.{kind}" in old]
    new = {f"in_proj_{kind}": torch.cat([old[f"w_{letter}.{kind}"] for letter in "qkv"]) for kind in kinds}
    new |= {f"out_proj.{kind}": old[f"w_o.{kind}"] for kind in kinds}
    module = nn.MultiheadAttention(
        embed_dim=old["w_o.weight"].size(0),
        num_heads=attention.num_heads,
        dropout=attention.dropout.p,
        bias="bias" in kinds,
        batch_first=True,
    ).to(old["w_o.weight"])
    module.load_state_dict(new)  # copies the numbers
    return module.train(attention.training)
