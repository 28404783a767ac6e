# %% wrong (first): .T turns all dimensions of the keys round, so anything with a batch crashes or mixes sentences
# true: every_axis_reversed
def attention_numpy(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    d_k = query.shape[-1]
    weights = softmax(query @ key.T / np.sqrt(d_k))
    return weights @ value, weights

# %% wrong (first): the width is read from axis 1, which with a batch is the number of queries
# true: width_counted_from_the_front
def attention_numpy(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    d_k = query.shape[1]
    scores = np.matmul(query, np.swapaxes(key, -1, -2)) / math.sqrt(d_k)
    attn = softmax(scores, axis=-1)
    return np.matmul(attn, value), attn

# %% wrong (first): softmax runs along axis 1, which is the keys only without a batch
# true: softmax_over_axis_1
def attention_numpy(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    E = query @ key.swapaxes(-2, -1) / np.sqrt(query.shape[-1])
    A = softmax(E, axis=1)
    Y = A @ value
    return Y, A

# %% wrong (first): the keys are reshaped and not transposed, which mixes their numbers
# true: key_reshaped
def attention_numpy(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    *lead, S, Dk = key.shape
    kT = key.reshape(*lead, Dk, S)  # (..., Dk, S)
    scores = (query @ kT) * (Dk ** -0.5)
    weights = softmax(scores, axis=-1)
    return weights @ value, weights

# %% wrong (first): np.dot pairs every sentence with every other, so a batch gets extra axes
# true: np_dot
def attention_numpy(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    dk = key.shape[-1]
    scores = np.dot(query, np.swapaxes(key, -1, -2)) / np.sqrt(dk)
    weights = softmax(scores, axis=-1)
    output = np.dot(weights, value)
    return output, weights

# %% wrong (first): scores are multiplied by the root of Dk, not divided
# true: multiplied_by_sqrt_d_k
def attention_numpy(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    scale = np.float32(np.sqrt(query.shape[-1]))
    scores = np.einsum("...td,...sd->...ts", query, key) * scale
    weights = softmax(scores)
    return np.einsum("...ts,...sv->...tv", weights, value), weights

# %% wrong (first): a dimension of size 1 is squeezed away from what is returned
def attention_numpy(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    scores = query @ np.swapaxes(key, -2, -1)
    scores = scores / np.sqrt(query.shape[-1])
    weights = softmax(scores, axis=-1)
    output = (weights[..., None] * value[..., None, :, :]).sum(axis=-2)
    return np.squeeze(output), np.squeeze(weights)

# %% wrong (first): the leading dimensions are flattened into one and not put back
def attention_numpy(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    q = query.reshape(-1, query.shape[-2], query.shape[-1])
    k = key.reshape(-1, key.shape[-2], key.shape[-1])
    v = value.reshape(-1, value.shape[-2], value.shape[-1])
    scores = np.einsum("btd,bsd->bts", q, k) / np.sqrt(q.shape[-1])
    weights = softmax(scores, axis=2)
    output = np.einsum("bts,bsv->btv", weights, v)
    return output, weights

# %% wrong (first): exponentials without a shift overflow / the scale is the width of the values
# true: scaled_by_d_v, no_max_subtraction
def attention_numpy(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    scores = query @ np.swapaxes(key, -1, -2) / np.sqrt(value.shape[-1])
    e = np.exp(scores)
    weights = e / np.sum(e, axis=-1, keepdims=True)
    return weights @ value, weights

# %% wrong (first): queries and keys change places, so the weights come out as (keys, queries) and are normalised over the queries
def attention_numpy(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    scores = key @ np.swapaxes(query, -1, -2) / math.sqrt(key.shape[-1])  # K Q^T
    weights = softmax(scores, axis=-1)
    output = np.swapaxes(weights, -1, -2) @ value
    return output, weights

# %% right (first): swapaxes and matmul
def attention_numpy(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    scores = np.matmul(query, np.swapaxes(key, -1, -2)) / np.sqrt(query.shape[-1])
    weights = softmax(scores, axis=-1)
    return np.matmul(weights, value), weights

# %% right (first): einsum, scaling the queries first into a new array
def attention_numpy(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    q = query * query.shape[-1] ** -0.5
    weights = softmax(np.einsum("...qd,...kd->...qk", q, key))
    return np.einsum("...qk,...kv->...qv", weights, value), weights

# %% right (first): broadcasting products and sums
def attention_numpy(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    products = query[..., :, None, :] * key[..., None, :, :]
    scores = products.sum(axis=-1) / math.sqrt(key.shape[-1])
    weights = softmax(scores, axis=-1)
    output = np.sum(weights[..., :, :, None] * value[..., None, :, :], axis=-2)
    return output, weights

# %% wrong (third): turns the keys round by transpose(0, 2, 1), which asks for exactly one batch axis
def attention_numpy(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    d_k = query.shape[-1]
    scores = np.matmul(query, key.transpose(0, 2, 1)) / np.sqrt(d_k)
    weights = softmax(scores, axis=-1)
    return np.matmul(weights, value), weights


# %% wrong (third): np.dot pairs every sentence of the batch with every other
# true: np_dot
def attention_numpy(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    scores = np.dot(query, np.swapaxes(key, -1, -2)) / np.sqrt(key.shape[-1])
    weights = softmax(scores)
    return np.dot(weights, value), weights


# %% wrong (third): divides by the root of axis 1, which is the width only without a batch
# true: width_counted_from_the_front
def attention_numpy(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    scale = 1.0 / math.sqrt(query.shape[1])
    scores = query @ key.swapaxes(-2, -1) * scale
    attn = softmax(scores, axis=-1)
    return attn @ value, attn


# %% right (third): einsum with an ellipsis, the queries scaled beforehand
def attention_numpy(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    small = query * query.shape[-1] ** -0.5  # (..., T, Dk)
    weights = softmax(np.einsum("...td,...sd->...ts", small, key), axis=-1)
    return np.einsum("...ts,...sv->...tv", weights, value), weights

# %% wrong (last): np.dot, which pairs every sentence of a batch with every other
# true: np_dot
# Violates the shapes "(..., T, Dv) and (..., T, S)" where there is a leading dimension; right without one.
def attention_numpy(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    scores = np.dot(query, np.swapaxes(key, -1, -2)) / np.sqrt(query.shape[-1])
    weights = softmax(scores, axis=-1)
    return np.dot(weights, value), weights


# %% wrong (last): the width is read from axis 1, which with a batch is the number of queries
# true: width_counted_from_the_front
# Violates "softmax(Q Kᵀ / sqrt(Dk)) V" where there is a leading dimension.
def attention_numpy(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    d_k = query.shape[1]
    scores = query @ key.swapaxes(-2, -1) / math.sqrt(d_k)
    weights = softmax(scores)
    return weights @ value, weights


# %% right (last): broadcasting and sums only, no matrix product
def attention_numpy(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    every_pair = query[..., :, None, :] * key[..., None, :, :]  # (..., T, S, Dk)
    weights = softmax(every_pair.sum(-1) * key.shape[-1] ** -0.5)  # (..., T, S)
    return np.add.reduce(weights[..., None] * value[..., None, :, :], axis=-2), weights


# %% wrong (fifth): divides the query of the caller in place
# true: query_overwritten
def attention_numpy(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    query /= math.sqrt(query.shape[-1])
    weights = softmax(query @ np.swapaxes(key, -1, -2))
    return weights @ value, weights


# %% right (fifth): two einsums, the root of the width divides the product
def attention_numpy(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    scores = np.einsum("...td,...sd->...ts", query, key) / np.sqrt(key.shape[-1])
    weights = softmax(scores, axis=scores.ndim - 1)
    return np.einsum("...ts,...sv->...tv", weights, value), weights
