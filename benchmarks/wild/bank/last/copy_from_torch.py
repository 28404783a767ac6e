# %% wrong: the new module stays float32, and load_state_dict rounds the weights without a word
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


# %% wrong: head_dim, the width of a head, is handed over as the number of heads
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


# %% right: unflatten into three, new Parameters from clones
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
