# %% wrong: an output layer of its own is counted, although the embeddings are tied
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

# %% wrong: a decoder layer gets one attention only
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

# %% wrong: the decoder's layers are given two norms and not three
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

# %% wrong: the last norm of each stack is left out
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

# %% wrong: the last norms are counted in post-norm too
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

# %% wrong: only one of the two stacks is given a last norm
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

# %% wrong: the attentions' biases are not counted
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

# %% wrong: the network's two biases are both taken to be d_model wide
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

# %% wrong: num_layers is shared out between the two stacks, half of it to each
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

# %% wrong: both languages are given one table, only the larger vocabulary counts
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

# %% wrong: a norm is counted with its scale and without its shift / the last norms are there in post-norm and not in pre-norm
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

# %% wrong: three matrices to an attention, the output's w_o is forgotten
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

# %% wrong: the tied output is given a bias of the size of the target's vocabulary
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

# %% wrong: the number comes back as a float, in millions
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

# %% wrong: sinusoids are counted as if they were learned, for 512 places / the network's biases are left out
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

# %% right: part by part with names
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

# %% right: one polynomial in D and F
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

# %% right: helper functions and sums over the sub-layers in a loop
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
