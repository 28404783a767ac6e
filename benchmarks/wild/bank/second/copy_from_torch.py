# %% wrong: the new layer's tensors are views of the module's own, so that training one changes the other
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

# %% wrong: the dropout is not taken over / the new layer is always float32, whatever type the module has
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

# %% wrong: it asks bias_k whether there are biases, which is None in an ordinary module, so the biases are always lost
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

# %% right: in-place copies in a loop over the projections, without a graph
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
