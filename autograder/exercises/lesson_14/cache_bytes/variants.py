# %% right: from one token outwards
def cache_bytes(num_layers, d_model, num_heads, num_kv_heads, length, batch_size=1, bytes_per_number=2):
    width = d_model // num_heads
    key = value = num_kv_heads * width * bytes_per_number
    token = num_layers * (key + value)
    return batch_size * length * token


# %% right: layer after layer
def cache_bytes(num_layers, d_model, num_heads, num_kv_heads, length, batch_size=1, bytes_per_number=2):
    total = 0
    for _ in range(num_layers):
        for _ in ("keys", "values"):
            total += batch_size * num_kv_heads * length * (d_model // num_heads) * bytes_per_number
    return total


# %% right: the share of multi-head attention
def cache_bytes(num_layers, d_model, num_heads, num_kv_heads, length, batch_size=1, bytes_per_number=2):
    multi_head = 2 * num_layers * d_model * length * batch_size * bytes_per_number
    return multi_head * num_kv_heads // num_heads


# %% right: by shapes
def cache_bytes(num_layers, d_model, num_heads, num_kv_heads, length, batch_size=1, bytes_per_number=2):
    shape = (num_layers, 2, batch_size, num_kv_heads, length, d_model // num_heads)
    return math.prod(shape) * bytes_per_number


# %% right: in floating point
def cache_bytes(num_layers, d_model, num_heads, num_kv_heads, length, batch_size=1, bytes_per_number=2):
    return 2 * num_layers * (d_model / num_heads) * num_kv_heads * length * batch_size * bytes_per_number


# %% wrong: one tensor in each layer
# true: keys_only
def cache_bytes(num_layers, d_model, num_heads, num_kv_heads, length, batch_size=1, bytes_per_number=2):
    shape = (num_layers, batch_size, num_kv_heads, length, d_model // num_heads)
    return math.prod(shape) * bytes_per_number


# %% wrong: as if nothing were shared
# true: heads_of_the_queries_counted
def cache_bytes(num_layers, d_model, num_heads, num_kv_heads, length, batch_size=1, bytes_per_number=2):
    return sum(2 * batch_size * length * num_heads * (d_model // num_heads) * bytes_per_number for _ in range(num_layers))


# %% wrong: each head has the full width
# true: every_head_as_wide_as_the_model
def cache_bytes(num_layers, d_model, num_heads, num_kv_heads, length, batch_size=1, bytes_per_number=2):
    token = (d_model + d_model) * num_kv_heads * bytes_per_number
    return token * num_layers * length * batch_size


# %% wrong: the batch is left out
# true: one_text_counted
def cache_bytes(num_layers, d_model, num_heads, num_kv_heads, length, batch_size=1, bytes_per_number=2):
    multi_head = 2 * num_layers * d_model * length * bytes_per_number
    return multi_head * num_kv_heads // num_heads


# %% trivial: zero
def cache_bytes(num_layers, d_model, num_heads, num_kv_heads, length, batch_size=1, bytes_per_number=2):
    return 0


# %% trivial: the width
def cache_bytes(num_layers, d_model, num_heads, num_kv_heads, length, batch_size=1, bytes_per_number=2):
    return d_model


# %% trivial: the product of all sizes
def cache_bytes(num_layers, d_model, num_heads, num_kv_heads, length, batch_size=1, bytes_per_number=2):
    return num_layers * d_model * num_heads * num_kv_heads * length * batch_size * bytes_per_number
