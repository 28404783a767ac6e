# %% wrong: both biases of the feed-forward network are counted with D numbers
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


# %% wrong: counts one last norm with pre-norm, and there are two stacks
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


# %% wrong: counts an output layer's bias, one number for each target word, which the tied one does not have
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


# %% right: a table of how often which shape occurs, multiplied out
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
