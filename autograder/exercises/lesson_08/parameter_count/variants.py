def counted(
    source_vocab_size, target_vocab_size, d_model, num_layers, d_ff, norm_first=True,
    tables=2, attention=1.0, biases=True, norms=5, ends=2,
):  # fmt: skip
    """Right as it is; each second version below changes one of its numbers."""
    d, f, bias = d_model, d_ff, int(biases)
    words = source_vocab_size + (tables - 1) * target_vocab_size
    layers = 3 * attention * 4 * (d * d + d) + 2 * (2 * d * f + bias * (d + f)) + norms * 2 * d
    return round(words * d + num_layers * layers + ends * 2 * d * norm_first)


def of_another_formula(formula):
    """A second version of ``formula``, in which ``layers`` are those of both stacks."""

    def number(source, target, d, n, f, norm_first=True):
        attention, network = 4 * d * (d + 1), 2 * d * f + d + f
        encoder, decoder = attention + network + 4 * d, 2 * attention + network + 6 * d
        layers = n * (encoder + decoder)
        return formula(source, target, d, n, f, norm_first, encoder, decoder, layers)

    return number


# %% right: term by term
def parameter_count(source_vocab_size, target_vocab_size, d_model, num_layers, d_ff, norm_first=True):
    d, f, n = d_model, d_ff, num_layers
    squares, products, linear = 12 * n * d * d, 4 * n * d * f, n * (12 * d + 2 * (f + d) + 10 * d)
    return (source_vocab_size + target_vocab_size) * d + squares + products + linear + 4 * d * bool(norm_first)


# %% right: with a helper
def parameter_count(source_vocab_size, target_vocab_size, d_model, num_layers, d_ff, norm_first=True):
    def linear(rows, columns):
        return rows * columns + columns

    attention = 4 * linear(d_model, d_model)
    network = linear(d_model, d_ff) + linear(d_ff, d_model)
    total = (source_vocab_size + target_vocab_size) * d_model
    for attentions in (1, 2):
        total += num_layers * (attentions * (attention + 2 * d_model) + network + 2 * d_model)
        if norm_first:
            total += 2 * d_model
    return total


# %% right: layer after layer
def parameter_count(source_vocab_size, target_vocab_size, d_model, num_layers, d_ff, norm_first=True):
    total = source_vocab_size * d_model + target_vocab_size * d_model
    for _ in range(num_layers):
        for _ in range(3):  # attentions
            total += 4 * (d_model + 1) * d_model
        for _ in range(2):  # networks
            total += (d_model + 1) * d_ff + (d_ff + 1) * d_model
        for _ in range(5):  # normalisations
            total += d_model + d_model
    return total + (4 * d_model if norm_first else 0)


# %% right: from shapes
def parameter_count(source_vocab_size, target_vocab_size, d_model, num_layers, d_ff, norm_first=True):
    attention = [(d_model, d_model), (d_model, 1)] * 4
    network = [(d_ff, d_model), (d_ff, 1), (d_model, d_ff), (d_model, 1)]
    norm = [(d_model, 2)]
    encoder = (attention + network + norm * 2) * num_layers + norm * norm_first
    decoder = (attention * 2 + network + norm * 3) * num_layers + norm * norm_first
    tables = [(source_vocab_size, d_model), (target_vocab_size, d_model)]
    return sum(rows * columns for rows, columns in tables + encoder + decoder)


# %% wrong: one table
# true: one_embedding_counted
def parameter_count(source, target, d, n, f, norm_first=True):
    return counted(source, target, d, n, f, norm_first, tables=1)


# %% wrong: matrices of the network
# true: network_without_biases
def parameter_count(source, target, d, n, f, norm_first=True):
    return counted(source, target, d, n, f, norm_first, biases=False)


# %% wrong: twice an encoder
# true: decoder_layers_like_encoder_layers
def parameter_count(source, target, d, n, f, norm_first=True):
    return counted(source, target, d, n, f, norm_first, attention=2 / 3, norms=4)


# %% wrong: source embedding not counted
# true: source_embedding_not_counted
parameter_count = of_another_formula(lambda s, t, d, n, f, pre, encoder, decoder, layers: t * d + layers + 4 * d * pre)


# %% wrong: network biases both wide
# true: network_biases_both_wide
parameter_count = of_another_formula(
    lambda s, t, d, n, f, pre, encoder, decoder, layers: (s + t) * d + layers + 2 * n * (f - d) + 4 * d * pre
)


# %% wrong: last norms for post norm
# true: last_norms_for_post_norm
parameter_count = of_another_formula(
    lambda s, t, d, n, f, pre, encoder, decoder, layers: (s + t) * d + layers + 4 * d * (not pre)
)


# %% trivial: zero
def parameter_count(source_vocab_size, target_vocab_size, d_model, num_layers, d_ff, norm_first=True):
    return 0


# %% trivial: embeddings alone
def parameter_count(source_vocab_size, target_vocab_size, d_model, num_layers, d_ff, norm_first=True):
    return (source_vocab_size + target_vocab_size) * d_model


# %% trivial: twelve squares
def parameter_count(source_vocab_size, target_vocab_size, d_model, num_layers, d_ff, norm_first=True):
    return 12 * num_layers * d_model**2
