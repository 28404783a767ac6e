# %% wrong: counts one last norm, where pre-norm has one at the end of each stack
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


# %% wrong: both biases of the network are taken to be D wide, F is forgotten ("every linear layer counts with its bias")
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


# %% right: lists every tensor's shape and how often it comes, and adds up the products
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
