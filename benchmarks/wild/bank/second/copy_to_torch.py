# %% wrong: the new module always has biases (zeros), even where the layer it is made from has none
# true: always_with_biases
def copy_to_torch(attention: MultiHeadAttention) -> nn.MultiheadAttention:
    w_q = attention.w_q.weight
    mha = nn.MultiheadAttention(
        embed_dim=w_q.shape[1],
        num_heads=attention.num_heads,
        dropout=attention.dropout.p,
        batch_first=True,
        device=w_q.device,
        dtype=w_q.dtype,
    )
    mha.in_proj_weight.data = torch.cat([w_q.data, attention.w_k.weight.data, attention.w_v.weight.data], dim=0).clone()
    mha.out_proj.weight.data = attention.w_o.weight.data.clone()
    if attention.w_q.bias is not None:
        mha.in_proj_bias.data = torch.cat([attention.w_q.bias.data, attention.w_k.bias.data, attention.w_v.bias.data])
        mha.out_proj.bias.data = attention.w_o.bias.data.clone()
    return mha

# %% wrong: the bias of the output projection is never copied, so it stays zero in the new module
# true: last_bias_forgotten
def copy_to_torch(attention: MultiHeadAttention) -> nn.MultiheadAttention:
    has_bias = attention.w_o.bias is not None
    d_model = attention.w_o.out_features
    module = nn.MultiheadAttention(
        d_model, attention.num_heads, dropout=attention.dropout.p, bias=has_bias, batch_first=True
    ).to(attention.w_o.weight.dtype)
    with torch.no_grad():
        for i, lin in enumerate((attention.w_q, attention.w_k, attention.w_v)):
            module.in_proj_weight[i * d_model:(i + 1) * d_model].copy_(lin.weight)
            if has_bias:
                module.in_proj_bias[i * d_model:(i + 1) * d_model].copy_(lin.bias)
        module.out_proj.weight.copy_(attention.w_o.weight)
    return module

# %% wrong: query, key and value rows are interleaved head by head and do not lie as three whole matrices below each other
# true: stacked_head_by_head
def copy_to_torch(attention: MultiHeadAttention) -> nn.MultiheadAttention:
    heads = attention.num_heads
    q, k, v, o = attention.w_q, attention.w_k, attention.w_v, attention.w_o
    dim = q.in_features
    bias = q.bias is not None
    new = nn.MultiheadAttention(dim, heads, dropout=attention.dropout.p, bias=bias, batch_first=True, dtype=q.weight.dtype)
    with torch.no_grad():
        qkv = torch.stack([lin.weight.view(heads, dim // heads, dim) for lin in (q, k, v)], dim=1)  # (H, 3, Dh, D)
        new.in_proj_weight.copy_(qkv.reshape(3 * dim, dim))
        new.out_proj.weight.copy_(o.weight)
        if bias:
            qkv_bias = torch.stack([lin.bias.view(heads, dim // heads) for lin in (q, k, v)], dim=1)
            new.in_proj_bias.copy_(qkv_bias.reshape(-1))
            new.out_proj.bias.copy_(o.bias)
    return new

# %% right: a state dict is put together and loaded
def copy_to_torch(attention: MultiHeadAttention) -> nn.MultiheadAttention:
    ours = attention.state_dict()
    with_bias = "w_q.bias" in ours
    theirs = nn.MultiheadAttention(
        ours["w_q.weight"].size(1),
        attention.num_heads,
        dropout=attention.dropout.p,
        bias=with_bias,
        batch_first=True,
        dtype=ours["w_q.weight"].dtype,
        device=ours["w_q.weight"].device,
    )
    state = {}
    for kind in ("weight", "bias") if with_bias else ("weight",):
        state[f"in_proj_{kind}"] = torch.cat([ours[f"w_{name}.{kind}"] for name in "qkv"])
        state[f"out_proj.{kind}"] = ours[f"w_o.{kind}"]
    theirs.load_state_dict(state)
    theirs.train(attention.training)
    return theirs
