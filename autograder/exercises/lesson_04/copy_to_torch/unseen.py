# %% wrong (first): the new module takes over W_o itself, so the two share it and train each other
# true: last_layer_shared
def copy_to_torch(attention: MultiHeadAttention) -> nn.MultiheadAttention:
    a = attention
    has_bias = a.w_q.bias is not None
    mha = nn.MultiheadAttention(a.w_q.in_features, a.num_heads, dropout=a.dropout.p, bias=has_bias, batch_first=True)
    mha = mha.to(a.w_q.weight.dtype)
    mha.in_proj_weight.data = torch.cat([a.w_q.weight.data, a.w_k.weight.data, a.w_v.weight.data])
    if has_bias:
        mha.in_proj_bias.data = torch.cat([a.w_q.bias.data, a.w_k.bias.data, a.w_v.bias.data])
        mha.out_proj.bias = a.w_o.bias
    mha.out_proj.weight = a.w_o.weight
    return mha

# %% wrong (first): the weights are transposed on the way, though both store (out, in)
# true: weights_transposed
def copy_to_torch(attention: MultiHeadAttention) -> nn.MultiheadAttention:
    d_model = attention.w_q.in_features
    bias = attention.w_q.bias is not None
    module = nn.MultiheadAttention(
        d_model, attention.num_heads, dropout=attention.dropout.p, bias=bias, batch_first=True,
        dtype=attention.w_q.weight.dtype,
    )
    with torch.no_grad():
        stacked = torch.cat([attention.w_q.weight.T, attention.w_k.weight.T, attention.w_v.weight.T], dim=0)
        module.in_proj_weight.copy_(stacked)
        module.out_proj.weight.copy_(attention.w_o.weight.T)
        if bias:
            module.in_proj_bias.copy_(torch.cat([attention.w_q.bias, attention.w_k.bias, attention.w_v.bias]))
            module.out_proj.bias.copy_(attention.w_o.bias)
    return module

# %% wrong (first): the module stays float32 when the layer is of another type
# true: single_precision
def copy_to_torch(attention: MultiHeadAttention) -> nn.MultiheadAttention:
    layers = [attention.w_q, attention.w_k, attention.w_v]
    bias = attention.w_o.bias is not None
    module = nn.MultiheadAttention(
        attention.w_o.out_features, attention.num_heads, attention.dropout.p, bias=bias, batch_first=True
    )
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.cat([l.weight for l in layers]))
        if bias:
            module.in_proj_bias.copy_(torch.cat([l.bias for l in layers]))
    module.out_proj.load_state_dict(attention.w_o.state_dict())
    return module

# %% wrong (first): batch_first is left at its default
# true: not_batch_first
def copy_to_torch(attention: MultiHeadAttention) -> nn.MultiheadAttention:
    D = attention.w_q.weight.shape[0]
    bias = attention.w_q.bias is not None
    out = nn.MultiheadAttention(D, attention.num_heads, dropout=attention.dropout.p, bias=bias)
    out = out.to(attention.w_q.weight)
    state = {
        "in_proj_weight": torch.cat((attention.w_q.weight, attention.w_k.weight, attention.w_v.weight)),
        "out_proj.weight": attention.w_o.weight,
    }
    if bias:
        state["in_proj_bias"] = torch.cat((attention.w_q.bias, attention.w_k.bias, attention.w_v.bias))
        state["out_proj.bias"] = attention.w_o.bias
    out.load_state_dict(state)
    return out

# %% wrong (first): the dropout is not carried over
# true: dropout_forgotten
def copy_to_torch(attention: MultiHeadAttention) -> nn.MultiheadAttention:
    bias = attention.w_q.bias is not None
    module = nn.MultiheadAttention(attention.w_q.in_features, attention.num_heads, bias=bias, batch_first=True)
    module.to(attention.w_q.weight.dtype)
    sd = attention.state_dict()
    new = {"in_proj_weight": torch.cat([sd["w_q.weight"], sd["w_k.weight"], sd["w_v.weight"]]),
           "out_proj.weight": sd["w_o.weight"]}
    if bias:
        new["in_proj_bias"] = torch.cat([sd["w_q.bias"], sd["w_k.bias"], sd["w_v.bias"]])
        new["out_proj.bias"] = sd["w_o.bias"]
    module.load_state_dict(new)
    return module

# %% wrong (first): the three biases of the projections are not copied, PyTorch's zeros stay / a layer without biases gets a module with them
# true: stacked_biases_forgotten, always_with_biases
def copy_to_torch(attention: MultiHeadAttention) -> nn.MultiheadAttention:
    d = attention.w_q.in_features
    mha = nn.MultiheadAttention(d, attention.num_heads, dropout=attention.dropout.p, batch_first=True)
    mha = mha.to(dtype=attention.w_q.weight.dtype)
    mha.in_proj_weight.data[:d] = attention.w_q.weight.data
    mha.in_proj_weight.data[d:2 * d] = attention.w_k.weight.data
    mha.in_proj_weight.data[2 * d:] = attention.w_v.weight.data
    mha.out_proj.weight.data.copy_(attention.w_o.weight.data)
    if attention.w_o.bias is not None:
        mha.out_proj.bias.data.copy_(attention.w_o.bias.data)
    return mha

# %% wrong (first): a layer without biases makes it crash, the biases are read in any case
def copy_to_torch(attention: MultiHeadAttention) -> nn.MultiheadAttention:
    first = attention.w_q.weight
    module = nn.MultiheadAttention(
        first.size(1), attention.num_heads, dropout=attention.dropout.p, batch_first=True
    ).to(first.device, first.dtype)
    w = torch.cat([attention.w_q.weight, attention.w_k.weight, attention.w_v.weight], dim=0)
    b = torch.cat([attention.w_q.bias, attention.w_k.bias, attention.w_v.bias], dim=0)
    module.in_proj_weight = nn.Parameter(w.detach().clone())
    module.in_proj_bias = nn.Parameter(b.detach().clone())
    module.out_proj.weight = nn.Parameter(attention.w_o.weight.detach().clone())
    module.out_proj.bias = nn.Parameter(attention.w_o.bias.detach().clone())
    return module

# %% wrong (first): keys come before queries in the stacked tensor
# true: keys_first
def copy_to_torch(attention: MultiHeadAttention) -> nn.MultiheadAttention:
    order = (attention.w_k, attention.w_q, attention.w_v)
    bias = attention.w_k.bias is not None
    module = nn.MultiheadAttention(attention.w_k.in_features, attention.num_heads, dropout=attention.dropout.p,
                                   bias=bias, batch_first=True).to(attention.w_k.weight.dtype)
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.cat([o.weight for o in order]))
        module.out_proj.weight.copy_(attention.w_o.weight)
        if bias:
            module.in_proj_bias.copy_(torch.cat([o.bias for o in order]))
            module.out_proj.bias.copy_(attention.w_o.bias)
    return module

# %% wrong (first): the layer that was handed in is put into evaluation mode and its parameters are frozen
# true: original_put_into_evaluation, original_frozen
def copy_to_torch(attention: MultiHeadAttention) -> nn.MultiheadAttention:
    attention.eval()
    attention.requires_grad_(False)
    bias = attention.w_q.bias is not None
    module = nn.MultiheadAttention(attention.w_q.in_features, attention.num_heads, attention.dropout.p, bias,
                                   batch_first=True)
    module = module.to(attention.w_q.weight.dtype)
    module.in_proj_weight.data.copy_(torch.cat([attention.w_q.weight, attention.w_k.weight, attention.w_v.weight]))
    module.out_proj.weight.data.copy_(attention.w_o.weight)
    if bias:
        module.in_proj_bias.data.copy_(torch.cat([attention.w_q.bias, attention.w_k.bias, attention.w_v.bias]))
        module.out_proj.bias.data.copy_(attention.w_o.bias)
    return module

# %% wrong (first): rows of the three matrices are interleaved head by head
# true: stacked_head_by_head
def copy_to_torch(attention: MultiHeadAttention) -> nn.MultiheadAttention:
    H = attention.num_heads
    D = attention.w_q.in_features
    bias = attention.w_q.bias is not None
    module = nn.MultiheadAttention(D, H, dropout=attention.dropout.p, bias=bias, batch_first=True)
    module = module.to(attention.w_q.weight.dtype)
    three = [attention.w_q, attention.w_k, attention.w_v]
    with torch.no_grad():
        w = torch.stack([l.weight.view(H, D // H, D) for l in three], dim=1)  # (H, 3, Dh, D)
        module.in_proj_weight.copy_(w.reshape(3 * D, D))
        module.out_proj.weight.copy_(attention.w_o.weight)
        if bias:
            b = torch.stack([l.bias.view(H, D // H) for l in three], dim=1)
            module.in_proj_bias.copy_(b.reshape(3 * D))
            module.out_proj.bias.copy_(attention.w_o.bias)
    return module

# %% wrong (first): W_o is not copied
# true: last_layer_forgotten
def copy_to_torch(attention: MultiHeadAttention) -> nn.MultiheadAttention:
    bias = attention.w_q.bias is not None
    module = nn.MultiheadAttention(attention.w_q.in_features, attention.num_heads, dropout=attention.dropout.p,
                                   bias=bias, batch_first=True)
    module = module.type(attention.w_q.weight.dtype)
    qkv = (attention.w_q, attention.w_k, attention.w_v)
    with torch.no_grad():
        for i, part in enumerate(module.in_proj_weight.chunk(3)):
            part.copy_(qkv[i].weight)
        if bias:
            for i, part in enumerate(module.in_proj_bias.chunk(3)):
                part.copy_(qkv[i].bias)
    return module

# %% right (first): chunks of the stacked tensor filled in under no_grad
def copy_to_torch(attention: MultiHeadAttention) -> nn.MultiheadAttention:
    weight = attention.w_q.weight
    with_bias = attention.w_q.bias is not None
    module = nn.MultiheadAttention(
        weight.shape[1], attention.num_heads, dropout=attention.dropout.p, bias=with_bias, batch_first=True,
        device=weight.device, dtype=weight.dtype,
    )
    with torch.no_grad():
        for layer, rows in zip((attention.w_q, attention.w_k, attention.w_v), module.in_proj_weight.chunk(3)):
            rows.copy_(layer.weight)
        if with_bias:
            for layer, rows in zip((attention.w_q, attention.w_k, attention.w_v), module.in_proj_bias.chunk(3)):
                rows.copy_(layer.bias)
    module.out_proj.load_state_dict(attention.w_o.state_dict())
    return module

# %% right (first): a state dict built by hand
def copy_to_torch(attention: MultiHeadAttention) -> nn.MultiheadAttention:
    ours = attention.state_dict()
    bias = "w_q.bias" in ours
    theirs = nn.MultiheadAttention(
        ours["w_o.weight"].size(0), attention.num_heads, attention.dropout.p, bias=bias, batch_first=True
    ).to(ours["w_q.weight"].dtype)
    state = {"out_proj.weight": ours["w_o.weight"],
             "in_proj_weight": torch.cat([ours[f"w_{c}.weight"] for c in "qkv"])}
    if bias:
        state["out_proj.bias"] = ours["w_o.bias"]
        state["in_proj_bias"] = torch.cat([ours[f"w_{c}.bias"] for c in "qkv"])
    theirs.load_state_dict(state, strict=True)
    return theirs

# %% right (first): .data and clones, with slices
def copy_to_torch(attention: MultiHeadAttention) -> nn.MultiheadAttention:
    D = attention.w_q.out_features
    has_bias = attention.w_o.bias is not None
    m = nn.MultiheadAttention(D, attention.num_heads, bias=has_bias, dropout=attention.dropout.p, batch_first=True)
    m.to(attention.w_o.weight.dtype)
    for n, layer in enumerate([attention.w_q, attention.w_k, attention.w_v]):
        m.in_proj_weight.data[n * D:(n + 1) * D] = layer.weight.data
        if has_bias:
            m.in_proj_bias.data[n * D:(n + 1) * D] = layer.bias.data
    m.out_proj.weight.data = attention.w_o.weight.data.clone()
    if has_bias:
        m.out_proj.bias.data = attention.w_o.bias.data.clone()
    return m

# %% wrong (second): the new module always has biases (zeros), even where the layer it is made from has none
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

# %% wrong (second): the bias of the output projection is never copied, so it stays zero in the new module
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

# %% wrong (second): query, key and value rows are interleaved head by head and do not lie as three whole matrices below each other
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

# %% right (second): a state dict is put together and loaded
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

# %% wrong (third): hands over w_o itself, so that the two modules share it
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


# %% wrong (third): the new module is float32 whatever the original is / and has no dropout
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


# %% wrong (third): a layer without biases becomes a module with biases of zero
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


# %% right (third): a state dict put together from the original's, loaded strictly
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

# %% wrong (last): W_o is not copied, the new module has the very parameters of the old one
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


# %% wrong (last): the module always has biases, zeros where ours has none / dropout is not taken over
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


# %% right (last): a state_dict is written and loaded, and the mode is taken over
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


# %% wrong (fifth): the output projection of the new module shares its weight and bias with the original
# true: last_layer_shared
def copy_to_torch(attention: MultiHeadAttention) -> nn.MultiheadAttention:
    w_q, w_k, w_v, w_o = attention.w_q, attention.w_k, attention.w_v, attention.w_o
    has_bias = w_q.bias is not None
    theirs = nn.MultiheadAttention(
        w_q.in_features, attention.num_heads, dropout=attention.dropout.p, bias=has_bias, batch_first=True
    ).to(w_q.weight.dtype)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([w_q.weight, w_k.weight, w_v.weight]))
        if has_bias:
            theirs.in_proj_bias.copy_(torch.cat([w_q.bias, w_k.bias, w_v.bias]))
    theirs.out_proj.weight = w_o.weight
    theirs.out_proj.bias = w_o.bias
    return theirs


# %% right (fifth): a state dict is put together and loaded
def copy_to_torch(attention: MultiHeadAttention) -> nn.MultiheadAttention:
    ours = attention.state_dict()
    like = ours["w_q.weight"]
    kinds = ["weight", "bias"] if "w_q.bias" in ours else ["weight"]
    module = nn.MultiheadAttention(
        like.shape[1],
        attention.num_heads,
        dropout=attention.dropout.p,
        bias="bias" in kinds,
        batch_first=True,
        device=like.device,
        dtype=like.dtype,
    )
    theirs = {}
    for kind in kinds:
        theirs[f"in_proj_{kind}"] = torch.cat([ours[f"w_{letter}.{kind}"] for letter in "qkv"])
        theirs[f"out_proj.{kind}"] = ours[f"w_o.{kind}"]
    module.load_state_dict(theirs)
    return module.train(attention.training)
