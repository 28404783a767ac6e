# %% wrong: turns the keys round by transpose(0, 2, 1), which asks for exactly one batch axis
def attention_numpy(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    d_k = query.shape[-1]
    scores = np.matmul(query, key.transpose(0, 2, 1)) / np.sqrt(d_k)
    weights = softmax(scores, axis=-1)
    return np.matmul(weights, value), weights


# %% wrong: np.dot pairs every sentence of the batch with every other
# true: np_dot
def attention_numpy(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    scores = np.dot(query, np.swapaxes(key, -1, -2)) / np.sqrt(key.shape[-1])
    weights = softmax(scores)
    return np.dot(weights, value), weights


# %% wrong: divides by the root of axis 1, which is the width only without a batch
# true: width_counted_from_the_front
def attention_numpy(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    scale = 1.0 / math.sqrt(query.shape[1])
    scores = query @ key.swapaxes(-2, -1) * scale
    attn = softmax(scores, axis=-1)
    return attn @ value, attn


# %% right: einsum with an ellipsis, the queries scaled beforehand
def attention_numpy(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    small = query * query.shape[-1] ** -0.5  # (..., T, Dk)
    weights = softmax(np.einsum("...td,...sd->...ts", small, key), axis=-1)
    return np.einsum("...ts,...sv->...tv", weights, value), weights
