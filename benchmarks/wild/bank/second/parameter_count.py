# %% wrong: both biases of the feed-forward network are counted as d_model wide, though the first is d_ff wide
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


# %% wrong: pre-norm's last normalisation is counted for the decoder only / a bias of the output layer is counted, which the tied model has not
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


# %% wrong: the attention is counted head by head with heads of 64, so a width that 64 does not divide loses projections
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


# %% right: a list of all weight shapes of the model, summed with math.prod
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
