# %% wrong (first): an output layer of its own is counted, although the embeddings are tied
# true: output_layer_counted
def parameter_count(
    source_vocab_size: int,
    target_vocab_size: int,
    d_model: int,
    num_layers: int,
    d_ff: int,
    norm_first: bool = True,
) -> int:
    D, F_, N = d_model, d_ff, num_layers
    embeddings = (source_vocab_size + target_vocab_size) * D
    attention = 4 * (D * D + D)
    ffn = D * F_ + F_ + F_ * D + D
    norm = 2 * D
    encoder = N * (attention + ffn + 2 * norm)
    decoder = N * (2 * attention + ffn + 3 * norm)
    final = 2 * norm if norm_first else 0
    output = D * target_vocab_size
    return embeddings + encoder + decoder + final + output

# %% wrong (first): a decoder layer gets one attention only
# true: cross_attention_not_counted
def parameter_count(
    source_vocab_size: int,
    target_vocab_size: int,
    d_model: int,
    num_layers: int,
    d_ff: int,
    norm_first: bool = True,
) -> int:
    attention = 4 * d_model * d_model + 4 * d_model
    network = 2 * d_model * d_ff + d_ff + d_model
    norm = 2 * d_model
    encoder_layer = attention + network + 2 * norm
    decoder_layer = attention + network + 3 * norm
    total = num_layers * (encoder_layer + decoder_layer)
    total += (source_vocab_size + target_vocab_size) * d_model
    if norm_first:
        total += 2 * norm
    return total

# %% wrong (first): the decoder's layers are given two norms and not three
# true: two_norms_in_the_decoder
def parameter_count(
    source_vocab_size: int,
    target_vocab_size: int,
    d_model: int,
    num_layers: int,
    d_ff: int,
    norm_first: bool = True,
) -> int:
    def linear(n_in, n_out):
        return n_in * n_out + n_out

    mha = 4 * linear(d_model, d_model)
    ffn = linear(d_model, d_ff) + linear(d_ff, d_model)
    ln = 2 * d_model
    layers = num_layers * ((mha + ffn + 2 * ln) + (2 * mha + ffn + 2 * ln))
    emb = source_vocab_size * d_model + target_vocab_size * d_model
    return emb + layers + (2 * ln if norm_first else 0)

# %% wrong (first): the last norm of each stack is left out
# true: last_norms_not_counted
def parameter_count(
    source_vocab_size: int,
    target_vocab_size: int,
    d_model: int,
    num_layers: int,
    d_ff: int,
    norm_first: bool = True,
) -> int:
    attention = 4 * (d_model**2 + d_model)
    network = 2 * d_model * d_ff + d_ff + d_model
    norm = 2 * d_model
    per_pair_of_layers = 3 * attention + 2 * network + 5 * norm
    return (source_vocab_size + target_vocab_size) * d_model + num_layers * per_pair_of_layers

# %% wrong (first): the last norms are counted in post-norm too
# true: last_norms_always_counted
def parameter_count(
    source_vocab_size: int,
    target_vocab_size: int,
    d_model: int,
    num_layers: int,
    d_ff: int,
    norm_first: bool = True,
) -> int:
    attention = 4 * (d_model**2 + d_model)
    network = 2 * d_model * d_ff + d_ff + d_model
    norm = 2 * d_model
    encoder = num_layers * (attention + network + 2 * norm) + norm
    decoder = num_layers * (2 * attention + network + 3 * norm) + norm
    embedding = d_model * (source_vocab_size + target_vocab_size)
    print(f"encoder {encoder:,}, decoder {decoder:,}, embedding {embedding:,}")
    return encoder + decoder + embedding

# %% wrong (first): only one of the two stacks is given a last norm
# true: one_last_norm
def parameter_count(
    source_vocab_size: int,
    target_vocab_size: int,
    d_model: int,
    num_layers: int,
    d_ff: int,
    norm_first: bool = True,
) -> int:
    attn = 4 * d_model * (d_model + 1)
    ff = d_ff * (d_model + 1) + d_model * (d_ff + 1)
    ln = 2 * d_model
    n = num_layers * (3 * attn + 2 * ff + 5 * ln)
    n += (source_vocab_size + target_vocab_size) * d_model
    n += ln if norm_first else 0
    return n

# %% wrong (first): the attentions' biases are not counted
# true: attention_without_biases
def parameter_count(
    source_vocab_size: int,
    target_vocab_size: int,
    d_model: int,
    num_layers: int,
    d_ff: int,
    norm_first: bool = True,
) -> int:
    attention = 4 * d_model**2
    feed_forward = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norm = 2 * d_model
    enc = attention + feed_forward + norm * 2
    dec = attention * 2 + feed_forward + norm * 3
    return int(
        d_model * source_vocab_size + d_model * target_vocab_size + num_layers * (enc + dec) + norm_first * 2 * norm
    )

# %% wrong (first): the network's two biases are both taken to be d_model wide
# true: network_biases_both_narrow
def parameter_count(
    source_vocab_size: int,
    target_vocab_size: int,
    d_model: int,
    num_layers: int,
    d_ff: int,
    norm_first: bool = True,
) -> int:
    attention = 4 * (d_model * d_model + d_model)
    network = 2 * (d_model * d_ff + d_model)
    norm = 2 * d_model
    layers = num_layers * (3 * attention + 2 * network + 5 * norm)
    ends = 2 * norm if norm_first else 0
    return (source_vocab_size + target_vocab_size) * d_model + layers + ends

# %% wrong (first): num_layers is shared out between the two stacks, half of it to each
# true: layers_split_between_the_stacks
def parameter_count(
    source_vocab_size: int,
    target_vocab_size: int,
    d_model: int,
    num_layers: int,
    d_ff: int,
    norm_first: bool = True,
) -> int:
    attention = 4 * (d_model * d_model + d_model)
    network = 2 * d_model * d_ff + d_model + d_ff
    norm = 2 * d_model
    encoder_layers = num_layers // 2
    decoder_layers = num_layers - encoder_layers
    count = encoder_layers * (attention + network + 2 * norm)
    count += decoder_layers * (2 * attention + network + 3 * norm)
    count += (source_vocab_size + target_vocab_size) * d_model
    if norm_first:
        count += 2 * norm
    return count

# %% wrong (first): both languages are given one table, only the larger vocabulary counts
# true: one_table_for_both_languages
def parameter_count(
    source_vocab_size: int,
    target_vocab_size: int,
    d_model: int,
    num_layers: int,
    d_ff: int,
    norm_first: bool = True,
) -> int:
    D = d_model
    table = max(source_vocab_size, target_vocab_size) * D
    layer_e = 4 * (D * D + D) + (2 * D * d_ff + D + d_ff) + 4 * D
    layer_d = 8 * (D * D + D) + (2 * D * d_ff + D + d_ff) + 6 * D
    return table + num_layers * (layer_e + layer_d) + (4 * D if norm_first else 0)

# %% wrong (first): a norm is counted with its scale and without its shift / the last norms are there in post-norm and not in pre-norm
# true: scale_without_shift, last_norms_for_post_norm
def parameter_count(
    source_vocab_size: int,
    target_vocab_size: int,
    d_model: int,
    num_layers: int,
    d_ff: int,
    norm_first: bool = True,
) -> int:
    attention = 4 * (d_model**2 + d_model)
    network = 2 * d_model * d_ff + d_ff + d_model
    norm = d_model
    layers = num_layers * (3 * attention + 2 * network + 5 * norm)
    last = 0 if norm_first else 2 * norm
    return (source_vocab_size + target_vocab_size) * d_model + layers + last

# %% wrong (first): three matrices to an attention, the output's w_o is forgotten
# true: three_matrices
def parameter_count(
    source_vocab_size: int,
    target_vocab_size: int,
    d_model: int,
    num_layers: int,
    d_ff: int,
    norm_first: bool = True,
) -> int:
    qkv = 3 * (d_model * d_model + d_model)
    ffn = (d_model * d_ff + d_ff) + (d_ff * d_model + d_model)
    norm = 2 * d_model
    encoder = num_layers * (qkv + ffn + 2 * norm)
    decoder = num_layers * (2 * qkv + ffn + 3 * norm)
    if norm_first:
        encoder, decoder = encoder + norm, decoder + norm
    return source_vocab_size * d_model + target_vocab_size * d_model + encoder + decoder

# %% wrong (first): the tied output is given a bias of the size of the target's vocabulary
# true: output_bias_counted
def parameter_count(
    source_vocab_size: int,
    target_vocab_size: int,
    d_model: int,
    num_layers: int,
    d_ff: int,
    norm_first: bool = True,
) -> int:
    attention = 4 * (d_model**2 + d_model)
    network = 2 * d_model * d_ff + d_ff + d_model
    norm = 2 * d_model
    embeddings = (source_vocab_size + target_vocab_size) * d_model
    layers = num_layers * (3 * attention + 2 * network + 5 * norm)
    return embeddings + layers + target_vocab_size + (2 * norm if norm_first else 0)

# %% wrong (first): the number comes back as a float, in millions
# true: in_millions
def parameter_count(
    source_vocab_size: int,
    target_vocab_size: int,
    d_model: int,
    num_layers: int,
    d_ff: int,
    norm_first: bool = True,
) -> int:
    attention = 4 * (d_model**2 + d_model)
    network = 2 * d_model * d_ff + d_ff + d_model
    norm = 2 * d_model
    total = (source_vocab_size + target_vocab_size) * d_model
    total += num_layers * (3 * attention + 2 * network + 5 * norm)
    total += 2 * norm if norm_first else 0
    return total / 1e6

# %% wrong (first): sinusoids are counted as if they were learned, for 512 places / the network's biases are left out
def parameter_count(
    source_vocab_size: int,
    target_vocab_size: int,
    d_model: int,
    num_layers: int,
    d_ff: int,
    norm_first: bool = True,
) -> int:
    max_length = 512
    embedding = (source_vocab_size + target_vocab_size + 2 * max_length) * d_model
    attention = 4 * (d_model**2 + d_model)
    ffn = 2 * d_model * d_ff
    norm = 2 * d_model
    assert embedding > 0
    layers = num_layers * (3 * attention + 2 * ffn + 5 * norm)
    return int(embedding + layers + (2 * norm if norm_first else 0))

# %% right (first): part by part with names
def parameter_count(
    source_vocab_size: int,
    target_vocab_size: int,
    d_model: int,
    num_layers: int,
    d_ff: int,
    norm_first: bool = True,
) -> int:
    attention = 4 * (d_model * d_model + d_model)
    network = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norm = 2 * d_model
    encoder_layer = attention + network + 2 * norm
    decoder_layer = 2 * attention + network + 3 * norm
    embeddings = (source_vocab_size + target_vocab_size) * d_model
    last_norms = 2 * norm if norm_first else 0
    return embeddings + num_layers * (encoder_layer + decoder_layer) + last_norms

# %% right (first): one polynomial in D and F
def parameter_count(
    source_vocab_size: int,
    target_vocab_size: int,
    d_model: int,
    num_layers: int,
    d_ff: int,
    norm_first: bool = True,
) -> int:
    D, F = d_model, d_ff
    per_layer = 12 * D**2 + 4 * D * F + 24 * D + 2 * F
    return D * (source_vocab_size + target_vocab_size + 4 * bool(norm_first)) + num_layers * per_layer

# %% right (first): helper functions and sums over the sub-layers in a loop
def _linear(n_in: int, n_out: int) -> int:
    return (n_in + 1) * n_out


def _norm(width: int) -> int:
    return width + width


def parameter_count(
    source_vocab_size: int,
    target_vocab_size: int,
    d_model: int,
    num_layers: int,
    d_ff: int,
    norm_first: bool = True,
) -> int:
    total = d_model * source_vocab_size
    total += d_model * target_vocab_size
    for sublayers in ("af", "aaf"):  # encoder, decoder
        for _ in range(num_layers):
            for kind in sublayers:
                if kind == "a":
                    total += 4 * _linear(d_model, d_model)
                else:
                    total += _linear(d_model, d_ff) + _linear(d_ff, d_model)
                total += _norm(d_model)
        if norm_first:
            total += _norm(d_model)
    return int(total)

# %% wrong (second): both biases of the feed-forward network are counted as d_model wide, though the first is d_ff wide
# true: network_biases_both_narrow
def parameter_count(source_vocab_size, target_vocab_size, d_model, num_layers, d_ff, norm_first=True):
    linear = lambda n_in, n_out: n_in * n_out + n_out
    attention = 4 * linear(d_model, d_model)
    ffn = 2 * (d_model * d_ff + d_model)
    norm = 2 * d_model
    encoder = num_layers * (attention + ffn + 2 * norm)
    decoder = num_layers * (2 * attention + ffn + 3 * norm)
    total = encoder + decoder + (source_vocab_size + target_vocab_size) * d_model
    if norm_first:
        total += 2 * norm
    return int(total)


# %% wrong (second): pre-norm's last normalisation is counted for the decoder only / a bias of the output layer is counted, which the tied model has not
# true: output_bias_counted, one_last_norm
def parameter_count(source_vocab_size, target_vocab_size, d_model, num_layers, d_ff, norm_first=True):
    D, F_, L = d_model, d_ff, num_layers
    embeddings = source_vocab_size * D + target_vocab_size * D
    mha = 4 * (D * D + D)
    ff = D * F_ + F_ + F_ * D + D
    ln = 2 * D
    enc = L * (mha + ff + 2 * ln)
    dec = L * (2 * mha + ff + 3 * ln) + (ln if norm_first else 0)
    output = target_vocab_size
    return embeddings + enc + dec + output


# %% wrong (second): the attention is counted head by head with heads of 64, so a width that 64 does not divide loses projections
# true: heads_of_64
def parameter_count(source_vocab_size, target_vocab_size, d_model, num_layers, d_ff, norm_first=True):
    d_head = 64
    num_heads = d_model // d_head
    per_head = 3 * (d_model * d_head + d_head)
    attention = num_heads * per_head + (num_heads * d_head) * d_model + d_model
    feed_forward = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norm = 2 * d_model
    count = (source_vocab_size + target_vocab_size) * d_model
    for _ in range(num_layers):
        count += attention + feed_forward + 2 * norm
        count += 2 * attention + feed_forward + 3 * norm
    if norm_first:
        count += 2 * norm
    return count


# %% right (second): a list of all weight shapes of the model, summed with math.prod
def parameter_count(source_vocab_size, target_vocab_size, d_model, num_layers, d_ff, norm_first=True):
    attention = [(d_model, d_model), (d_model,)] * 4
    network = [(d_model, d_ff), (d_ff,), (d_ff, d_model), (d_model,)]
    norm = [(d_model,), (d_model,)]
    encoder_layer = attention + network + norm * 2
    decoder_layer = attention * 2 + network + norm * 3
    shapes = [(source_vocab_size, d_model), (target_vocab_size, d_model)]
    shapes += (encoder_layer + decoder_layer) * num_layers
    if norm_first:
        shapes += norm * 2
    return sum(math.prod(shape) for shape in shapes)

# %% wrong (third): both biases of the feed-forward network are counted with D numbers
# true: network_biases_both_narrow
def parameter_count(
    source_vocab_size: int,
    target_vocab_size: int,
    d_model: int,
    num_layers: int,
    d_ff: int,
    norm_first: bool = True,
) -> int:
    attention = 4 * (d_model * d_model + d_model)
    feed_forward = 2 * (d_model * d_ff + d_model)
    norm = 2 * d_model
    encoder_layer = attention + feed_forward + 2 * norm
    decoder_layer = 2 * attention + feed_forward + 3 * norm
    total = (source_vocab_size + target_vocab_size) * d_model
    total += num_layers * (encoder_layer + decoder_layer)
    if norm_first:
        total += 2 * norm
    return total


# %% wrong (third): counts one last norm with pre-norm, and there are two stacks
# true: one_last_norm
def parameter_count(
    source_vocab_size: int,
    target_vocab_size: int,
    d_model: int,
    num_layers: int,
    d_ff: int,
    norm_first: bool = True,
) -> int:
    D, F_ = d_model, d_ff
    emb = D * (source_vocab_size + target_vocab_size)
    att = 4 * D**2 + 4 * D
    ffn = 2 * D * F_ + F_ + D
    ln = 2 * D
    enc = att + ffn + 2 * ln
    dec = 2 * att + ffn + 3 * ln
    return emb + num_layers * (enc + dec) + (ln if norm_first else 0)


# %% wrong (third): counts an output layer's bias, one number for each target word, which the tied one does not have
# true: output_bias_counted
def parameter_count(
    source_vocab_size: int,
    target_vocab_size: int,
    d_model: int,
    num_layers: int,
    d_ff: int,
    norm_first: bool = True,
) -> int:
    def linear(n_in, n_out):
        return n_in * n_out + n_out

    mha = 4 * linear(d_model, d_model)
    ffn = linear(d_model, d_ff) + linear(d_ff, d_model)
    ln = 2 * d_model
    encoder = num_layers * (mha + ffn + 2 * ln) + norm_first * ln
    decoder = num_layers * (2 * mha + ffn + 3 * ln) + norm_first * ln
    embeddings = (source_vocab_size + target_vocab_size) * d_model
    generator_bias = target_vocab_size  # weight is tied
    return embeddings + encoder + decoder + generator_bias


# %% right (third): a table of how often which shape occurs, multiplied out
def parameter_count(
    source_vocab_size: int,
    target_vocab_size: int,
    d_model: int,
    num_layers: int,
    d_ff: int,
    norm_first: bool = True,
) -> int:
    attentions, networks, norms = 3 * num_layers, 2 * num_layers, 5 * num_layers + 2 * bool(norm_first)
    inventory = [
        (1, (source_vocab_size, d_model)),
        (1, (target_vocab_size, d_model)),
        (4 * attentions, (d_model, d_model)),
        (4 * attentions, (d_model,)),
        (2 * networks, (d_model, d_ff)),
        (networks, (d_ff,)),
        (networks, (d_model,)),
        (2 * norms, (d_model,)),
    ]
    return sum(how_often * math.prod(shape) for how_often, shape in inventory)

# %% wrong (last): counts one last norm, where pre-norm has one at the end of each stack
# true: one_last_norm
def parameter_count(
    source_vocab_size: int,
    target_vocab_size: int,
    d_model: int,
    num_layers: int,
    d_ff: int,
    norm_first: bool = True,
) -> int:
    embeddings = (source_vocab_size + target_vocab_size) * d_model
    attention = 4 * (d_model * d_model + d_model)
    ffn = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norm = 2 * d_model
    encoder_layer = attention + ffn + 2 * norm
    decoder_layer = 2 * attention + ffn + 3 * norm
    total = embeddings + num_layers * (encoder_layer + decoder_layer)
    if norm_first:
        total += norm
    return total


# %% wrong (last): both biases of the network are taken to be D wide, F is forgotten ("every linear layer counts with its bias")
# true: network_biases_both_narrow
def parameter_count(
    source_vocab_size: int,
    target_vocab_size: int,
    d_model: int,
    num_layers: int,
    d_ff: int,
    norm_first: bool = True,
) -> int:
    mha = 4 * d_model**2 + 4 * d_model
    mlp = 2 * d_model * d_ff + 2 * d_model
    ln = 2 * d_model
    n = (source_vocab_size + target_vocab_size) * d_model
    n += num_layers * (mha + mlp + 2 * ln)
    n += num_layers * (2 * mha + mlp + 3 * ln)
    return n + (2 * ln if norm_first else 0)


# %% right (last): lists every tensor's shape and how often it comes, and adds up the products
def parameter_count(
    source_vocab_size: int,
    target_vocab_size: int,
    d_model: int,
    num_layers: int,
    d_ff: int,
    norm_first: bool = True,
) -> int:
    attentions, networks = 3 * num_layers, 2 * num_layers  # one and two attentions in the layers of the two stacks
    norms = attentions + networks + 2 * bool(norm_first)  # one to a sub-layer, and the last of each stack
    shapes = [
        ((source_vocab_size, d_model), 1),
        ((target_vocab_size, d_model), 1),
        ((d_model, d_model), 4 * attentions),
        ((d_model,), 4 * attentions),
        ((d_ff, d_model), networks),
        ((d_ff,), networks),
        ((d_model, d_ff), networks),
        ((d_model,), networks),
        ((d_model,), 2 * norms),
    ]
    return sum(times * math.prod(shape) for shape, times in shapes)


# %% wrong (fifth): pre-norm, one norm at the end of the model, not one for each stack
# true: one_last_norm
def parameter_count(
    source_vocab_size: int,
    target_vocab_size: int,
    d_model: int,
    num_layers: int,
    d_ff: int,
    norm_first: bool = True,
) -> int:
    attention = 4 * (d_model * d_model + d_model)
    network = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norm = 2 * d_model
    encoder_layer = attention + network + 2 * norm
    decoder_layer = 2 * attention + network + 3 * norm
    total = (source_vocab_size + target_vocab_size) * d_model + num_layers * (encoder_layer + decoder_layer)
    if norm_first:
        total += norm
    return total


# %% wrong (fifth): both biases of a network have D numbers, which is right only for F = D
# true: network_biases_both_narrow
def parameter_count(
    source_vocab_size: int,
    target_vocab_size: int,
    d_model: int,
    num_layers: int,
    d_ff: int,
    norm_first: bool = True,
) -> int:
    attention = 4 * d_model**2 + 4 * d_model
    network = 2 * d_model * d_ff + 2 * d_model
    norm = 2 * d_model
    layers = num_layers * (3 * attention + 2 * network + 5 * norm)
    embeddings = (source_vocab_size + target_vocab_size) * d_model
    return embeddings + layers + (2 * norm if norm_first else 0)


# %% right (fifth): one polynomial in D and F
def parameter_count(
    source_vocab_size: int,
    target_vocab_size: int,
    d_model: int,
    num_layers: int,
    d_ff: int,
    norm_first: bool = True,
) -> int:
    D, F_ = d_model, d_ff
    both_layers = 12 * D * D + 4 * D * F_ + 24 * D + 2 * F_
    last_norms = 4 * D if norm_first else 0
    return D * (source_vocab_size + target_vocab_size) + num_layers * both_layers + last_norms
