"""How much memory the cache of keys and values takes, counted on paper.

Each layer keeps a key and a value of each token, in each of its key-value heads. The heads of the queries decide only
how wide one head is.
"""


def cache_bytes(
    num_layers: int,
    d_model: int,
    num_heads: int,
    num_kv_heads: int,
    length: int,
    batch_size: int = 1,
    bytes_per_number: int = 2,
) -> int:
    """The bytes of all keys and values that a decoder-only model keeps while it writes.

    Args:
        num_layers: L, the number of layers. Each has a cache of its own.
        d_model: D, the width of the model.
        num_heads: H, the number of heads of queries. One head is ``D // H`` wide.
        num_kv_heads: G, the number of heads of keys, and of values.
        length: the tokens of each text so far.
        batch_size: the number of texts that are written at once.
        bytes_per_number: 4 for float32, 2 for float16 and bfloat16.

    Source: Shazeer 2019, section 2.4; Ainslie et al. 2023, section 2.2.
    """
    head_width = d_model // num_heads
    numbers_per_token = 2 * num_layers * num_kv_heads * head_width  # a key and a value
    return numbers_per_token * length * batch_size * bytes_per_number
