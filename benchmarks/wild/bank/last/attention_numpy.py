# %% wrong: np.dot, which pairs every sentence of a batch with every other
# true: np_dot
# Violates the shapes "(..., T, Dv) and (..., T, S)" where there is a leading dimension; right without one.
def attention_numpy(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    scores = np.dot(query, np.swapaxes(key, -1, -2)) / np.sqrt(query.shape[-1])
    weights = softmax(scores, axis=-1)
    return np.dot(weights, value), weights


# %% wrong: the width is read from axis 1, which with a batch is the number of queries
# true: width_counted_from_the_front
# Violates "softmax(Q Kᵀ / sqrt(Dk)) V" where there is a leading dimension.
def attention_numpy(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    d_k = query.shape[1]
    scores = query @ key.swapaxes(-2, -1) / math.sqrt(d_k)
    weights = softmax(scores)
    return weights @ value, weights


# %% right: broadcasting and sums only, no matrix product
def attention_numpy(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    every_pair = query[..., :, None, :] * key[..., None, :, :]  # (..., T, S, Dk)
    weights = softmax(every_pair.sum(-1) * key.shape[-1] ** -0.5)  # (..., T, S)
    return np.add.reduce(weights[..., None] * value[..., None, :, :], axis=-2), weights
