"""Where the parameters are: a Transformer's, counted on paper.

The code counts from the inside out, each part once, with its biases. The output layer isn't counted, since it *is* the
target embedding; post-norm has no norm at the end of a stack.
"""


def parameter_count(
    source_vocab_size: int,
    target_vocab_size: int,
    d_model: int,
    num_layers: int,
    d_ff: int,
    norm_first: bool = True,
) -> int:
    """The number of parameters of a `Transformer` with biases and tied embeddings, without building one.

    Every linear layer counts with its bias, every normalisation with its scale and its shift. The number of heads and
    the length of sentences don't matter.

    Args:
        source_vocab_size: V_s, the number of different source tokens.
        target_vocab_size: V, the number of different target tokens.
        d_model: D, the width.
        num_layers: layers of the encoder, and of the decoder.
        d_ff: F, the width inside the feed-forward networks.
        norm_first: pre-norm, with one more normalisation at the end of each stack; or post-norm, without.

    Source: COS 484 lecture 8, on the feed-forward network: "where the majority of the compute and parameters go".
    """
    attention = 4 * d_model**2 + 4 * d_model
    feed_forward = 2 * d_model * d_ff + d_ff + d_model
    norm = 2 * d_model
    encoder_layer = attention + feed_forward + 2 * norm
    decoder_layer = 2 * attention + feed_forward + 3 * norm
    embeddings = (source_vocab_size + target_vocab_size) * d_model  # the output layer is the target's once more
    return embeddings + num_layers * (encoder_layer + decoder_layer) + (2 * norm if norm_first else 0)
