# %% wrong (fifth): a head of keys is taken to be D // G wide instead of D // H
# true: heads_of_the_queries_counted
def cache_bytes(
    num_layers: int,
    d_model: int,
    num_heads: int,
    num_kv_heads: int,
    length: int,
    batch_size: int = 1,
    bytes_per_number: int = 2,
) -> int:
    head_width = d_model // num_kv_heads
    numbers = 2 * num_layers * num_kv_heads * head_width * length * batch_size
    return numbers * bytes_per_number


# %% wrong (fifth): counts the keys alone, the factor 2 for the values is missing
# true: keys_only
def cache_bytes(
    num_layers: int,
    d_model: int,
    num_heads: int,
    num_kv_heads: int,
    length: int,
    batch_size: int = 1,
    bytes_per_number: int = 2,
) -> int:
    head_width = d_model // num_heads
    per_token = num_kv_heads * head_width * bytes_per_number
    return num_layers * batch_size * length * per_token


# %% wrong (fifth): counts all H heads, as if nothing was shared; right if G = H
# true: heads_of_the_queries_counted
def cache_bytes(
    num_layers: int,
    d_model: int,
    num_heads: int,
    num_kv_heads: int,
    length: int,
    batch_size: int = 1,
    bytes_per_number: int = 2,
) -> int:
    d_head = d_model // num_heads
    return 2 * num_layers * num_heads * d_head * length * batch_size * bytes_per_number


# %% wrong (fifth): the batch size is ignored, so it counts one text only
# true: one_text_counted
def cache_bytes(
    num_layers: int,
    d_model: int,
    num_heads: int,
    num_kv_heads: int,
    length: int,
    batch_size: int = 1,
    bytes_per_number: int = 2,
) -> int:
    d_head = d_model // num_heads
    keys = num_layers * num_kv_heads * length * d_head
    values = num_layers * num_kv_heads * length * d_head
    return (keys + values) * bytes_per_number


# %% wrong (fifth): always 2 bytes for a number, bytes_per_number is ignored
# true: always_two_bytes
def cache_bytes(
    num_layers: int,
    d_model: int,
    num_heads: int,
    num_kv_heads: int,
    length: int,
    batch_size: int = 1,
    bytes_per_number: int = 2,
) -> int:
    d_head = d_model // num_heads
    # keys and values, 2 bytes each
    return 2 * 2 * num_layers * num_kv_heads * d_head * length * batch_size


# %% wrong (fifth): returns a float, since the width of a head is computed with /
def cache_bytes(
    num_layers: int,
    d_model: int,
    num_heads: int,
    num_kv_heads: int,
    length: int,
    batch_size: int = 1,
    bytes_per_number: int = 2,
) -> int:
    return 2 * num_layers * num_kv_heads * (d_model / num_heads) * length * batch_size * bytes_per_number


# %% wrong (fifth): multiplies in float32, so large counts that need over 24 bits are rounded
def cache_bytes(
    num_layers: int,
    d_model: int,
    num_heads: int,
    num_kv_heads: int,
    length: int,
    batch_size: int = 1,
    bytes_per_number: int = 2,
) -> int:
    sizes = torch.tensor(
        [2.0, num_layers, num_kv_heads, d_model // num_heads, length, batch_size, bytes_per_number]
    )
    return int(sizes.prod().item())


# %% wrong (fifth): every head of keys and values is taken to be as wide as the whole model
# true: every_head_as_wide_as_the_model
def cache_bytes(
    num_layers: int,
    d_model: int,
    num_heads: int,
    num_kv_heads: int,
    length: int,
    batch_size: int = 1,
    bytes_per_number: int = 2,
) -> int:
    one_token = 2 * num_kv_heads * d_model * bytes_per_number
    return num_layers * length * batch_size * one_token


# %% wrong (fifth): the queries of all heads are counted as cached, too
# true: queries_of_all_heads_kept
def cache_bytes(
    num_layers: int,
    d_model: int,
    num_heads: int,
    num_kv_heads: int,
    length: int,
    batch_size: int = 1,
    bytes_per_number: int = 2,
) -> int:
    d_head = d_model // num_heads
    heads = num_heads + 2 * num_kv_heads  # queries, keys, values
    return num_layers * heads * d_head * length * batch_size * bytes_per_number


# %% wrong (fifth): counts length - 1 tokens, as if the newest one was not in the cache
# true: newest_token_missing
def cache_bytes(
    num_layers: int,
    d_model: int,
    num_heads: int,
    num_kv_heads: int,
    length: int,
    batch_size: int = 1,
    bytes_per_number: int = 2,
) -> int:
    cached = length - 1  # the last token is being read right now
    d_head = d_model // num_heads
    return 2 * num_layers * num_kv_heads * d_head * cached * batch_size * bytes_per_number


# %% right (fifth): the product of a tuple with math.prod
def cache_bytes(
    num_layers: int,
    d_model: int,
    num_heads: int,
    num_kv_heads: int,
    length: int,
    batch_size: int = 1,
    bytes_per_number: int = 2,
) -> int:
    shape_of_keys = (num_layers, batch_size, num_kv_heads, length, d_model // num_heads)
    return bytes_per_number * (math.prod(shape_of_keys) + math.prod(shape_of_keys))


# %% right (fifth): adds up keys and values layer by layer
def cache_bytes(
    num_layers: int,
    d_model: int,
    num_heads: int,
    num_kv_heads: int,
    length: int,
    batch_size: int = 1,
    bytes_per_number: int = 2,
) -> int:
    width_of_head, _ = divmod(d_model, num_heads)
    total = 0
    for _layer in range(num_layers):
        for _kind in ("keys", "values"):
            total += batch_size * length * num_kv_heads * width_of_head * bytes_per_number
    return total


# %% right (fifth): the number of elements of a tensor on the meta device, which has no memory
def cache_bytes(
    num_layers: int,
    d_model: int,
    num_heads: int,
    num_kv_heads: int,
    length: int,
    batch_size: int = 1,
    bytes_per_number: int = 2,
) -> int:
    cache = torch.empty(
        2, num_layers, batch_size, num_kv_heads, length, d_model // num_heads, device="meta"
    )  # never allocated
    return cache.numel() * bytes_per_number


# %% right (fifth): one expression, doubled by a shift of one bit
def cache_bytes(
    num_layers: int,
    d_model: int,
    num_heads: int,
    num_kv_heads: int,
    length: int,
    batch_size: int = 1,
    bytes_per_number: int = 2,
) -> int:
    return (num_kv_heads * (d_model // num_heads) * num_layers * length * batch_size * bytes_per_number) << 1
