# %% right: by einsum
def attention_numpy(query, key, value):
    scores = np.einsum("...td,...sd->...ts", query, key) * query.shape[-1] ** -0.5
    weights = softmax(scores)
    return np.einsum("...ts,...sd->...td", weights, value), weights


# %% right: query scaled first
def attention_numpy(query, key, value):
    scaled = query / np.sqrt(query.shape[-1])
    axes = [*range(key.ndim - 2), key.ndim - 1, key.ndim - 2]
    weights = softmax(np.matmul(scaled, np.transpose(key, axes)), -1)
    output = np.matmul(weights, value)
    return output, weights


# %% right: by broadcasting
def attention_numpy(query, key, value):
    products = query[..., :, None, :] * key[..., None, :, :]
    weights = softmax(scores=products.sum(axis=-1) / math.sqrt(key.shape[-1]), axis=-1)
    output = (weights[..., None] * np.expand_dims(value, -3)).sum(axis=-2)
    return output, weights


# %% right: a softmax of its own
def attention_numpy(query, key, value):
    d_k = query.shape[-1]
    scores = (query @ np.moveaxis(key, -1, -2)) / d_k**0.5
    powers = np.exp(scores - scores.max(-1)[..., None])
    weights = powers / powers.sum(-1)[..., None]
    return weights @ value, weights


# %% right: one matrix at a time
def attention_numpy(query, key, value):
    output = np.zeros(query.shape[:-1] + value.shape[-1:])
    weights = np.zeros(query.shape[:-1] + key.shape[-2:-1])
    for place in np.ndindex(*query.shape[:-2]):
        weights[place] = softmax(query[place].dot(key[place].T) / math.sqrt(query.shape[-1]))
        output[place] = np.dot(weights[place], value[place])
    return output, weights


# %% right: one more call for each dimension
def attention_numpy(query, key, value):
    def attend(q, k, v):
        if q.ndim > 2:
            parts = [attend(*part) for part in zip(q, k, v, strict=True)]
            return np.stack([output for output, _ in parts]), np.stack([weights for _, weights in parts])
        scores = np.inner(q, k) / math.sqrt(len(q[0]))
        weights = np.array([softmax(row) for row in scores])
        return weights @ v, weights

    return attend(query, key, value)


# %% right: keys down the side
def attention_numpy(query, key, value):
    scores = key @ query.swapaxes(-1, -2) / np.sqrt(np.float64(query.shape[-1]))
    columns = softmax(scores, axis=-2)
    return (value.swapaxes(-1, -2) @ columns).swapaxes(-1, -2), columns.swapaxes(-1, -2)


# %% right: folded into one batch
def attention_numpy(query, key, value):
    (*leading, T, D), (S, V) = query.shape, value.shape[-2:]
    q, k, v = query.reshape(-1, T, D), key.reshape(-1, S, D), value.reshape(-1, S, V)
    weights = np.empty((len(q), T, S))
    for i in range(T):
        weights[:, i] = softmax((q[:, i : i + 1] * k).sum(axis=2) / math.sqrt(D), axis=1)
    return np.matmul(weights, v).reshape(*leading, T, V), weights.reshape(*leading, T, S)


# %% wrong: np dot
# defines: np_dot
def attention_numpy(query, key, value):
    scores = np.dot(query, np.swapaxes(key, -2, -1)) / math.sqrt(query.shape[-1])
    weights = softmax(scores, axis=-1)
    return np.dot(weights, value), weights


# %% wrong: matrices only
# defines: matrices_only
def attention_numpy(query, key, value):
    scores = np.dot(query, key.T) / math.sqrt(query.shape[1])
    weights = softmax(scores)
    return np.dot(weights, value), weights


# %% wrong: einsum alone
# true: unscaled
def attention_numpy(query, key, value):
    weights = softmax(np.einsum("...td,...sd->...ts", query, key))
    return np.einsum("...ts,...sd->...td", weights, value), weights


# %% wrong: size of a row of scores
# true: scaled_by_num_keys
def attention_numpy(query, key, value):
    scores = np.matmul(query, np.moveaxis(key, -1, -2))
    weights = softmax(scores / np.sqrt(scores.shape[-1]))
    return np.matmul(weights, value), weights


# %% wrong: exponentials by column
# true: softmax_over_queries
def attention_numpy(query, key, value):
    scores = query @ key.swapaxes(-1, -2) / query.shape[-1] ** 0.5
    powers = np.exp(scores - scores.max(axis=-2)[..., None, :])
    weights = powers / powers.sum(axis=-2)[..., None, :]
    return weights @ value, weights


# %% wrong: shares of scores
# true: no_exponential
def attention_numpy(query, key, value):
    scores = np.einsum("...td,...sd->...ts", query, key)
    weights = scores / np.expand_dims(np.sum(scores, axis=-1), -1)
    return weights @ value, weights


# %% wrong: dot method
# true: matrices_only
def attention_numpy(query, key, value):
    weights = softmax(query.dot(key.T) / np.sqrt(len(query[0])))
    return weights.dot(value), weights


# %% wrong: misprinted index
# true: value_of_the_query
def attention_numpy(query, key, value):
    weights = softmax(np.einsum("...id,...jd->...ij", query, key) / math.sqrt(query.shape[-1]))
    return np.einsum("...ij,...id->...id", weights, value), weights


# %% wrong: indices turned
# true: weights_transposed
def attention_numpy(query, key, value):
    weights = softmax(np.einsum("...id,...jd->...ij", query, key) / math.sqrt(query.shape[-1]))
    return np.einsum("...ji,...jd->...id", weights, value), weights


# %% wrong: flattened
# true: softmax_over_everything
def attention_numpy(query, key, value):
    scores = query @ key.swapaxes(-1, -2) / math.sqrt(query.shape[-1])
    weights = softmax(scores.flatten()).reshape(scores.shape)
    return weights @ value, weights


# %% wrong: scaled in place
# true: query_overwritten
def attention_numpy(query, key, value):
    query *= query.shape[-1] ** -0.5
    weights = softmax(np.matmul(query, key.swapaxes(-2, -1)))
    return np.matmul(weights, value), weights


# %% wrong: powers of the scores
# true: no_max_subtraction
def attention_numpy(query, key, value):
    powers = np.exp(np.einsum("...td,...sd->...ts", query, key) / query.shape[-1] ** 0.5)
    weights = powers / np.expand_dims(powers.sum(-1), -1)
    return np.matmul(weights, value), weights


# %% wrong: mean over the keys
# true: output_averaged
def attention_numpy(query, key, value):
    weights = softmax(np.einsum("...td,...sd->...ts", query, key) / query.shape[-1] ** 0.5)
    return (weights[..., None] * value[..., None, :, :]).mean(axis=-2), weights


# %% trivial: the input itself
def attention_numpy(query, key, value):
    weights = np.zeros(query.shape[:-1] + key.shape[-2:-1]) + np.eye(query.shape[-2], key.shape[-2])
    return weights @ value, weights


# %% trivial: zeros
def attention_numpy(query, key, value):
    return np.zeros(query.shape[:-1] + value.shape[-1:]), np.zeros(query.shape[:-1] + key.shape[-2:-1])


# %% trivial: uniform
def attention_numpy(query, key, value):
    weights = np.full(query.shape[:-1] + key.shape[-2:-1], 1 / key.shape[-2])
    return weights @ value, weights


# %% trivial: noise
def attention_numpy(query, key, value):
    random = np.random.default_rng()
    return random.random(query.shape[:-1] + value.shape[-1:]), random.random(query.shape[:-1] + key.shape[-2:-1])
