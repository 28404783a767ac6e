# %% wrong: divided by the root of the number of keys, for len(key) was taken for their width
# true: scaled_by_num_keys
# Violates "query_i · key_j / sqrt(Dk)".
def attention_loops(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    d_k = len(key)
    output = np.zeros((query.shape[0], value.shape[1]))
    weights = np.zeros((query.shape[0], key.shape[0]))
    for i in range(query.shape[0]):
        scores = np.array([np.dot(query[i], key[j]) / np.sqrt(d_k) for j in range(key.shape[0])])
        weights[i] = softmax(scores)
        for j in range(key.shape[0]):
            output[i] += weights[i, j] * value[j]
    return output, weights


# %% wrong: softmax along axis 0, over the queries / divided by Dk and not by its root
# true: scaled_by_d_k, softmax_over_queries
# Violates "For each query ...: turn the scores into weights" (each query's sum to 1) and "/ sqrt(Dk)".
def attention_loops(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    T, d_k = query.shape
    S, d_v = value.shape
    scores = np.empty((T, S))
    for i in range(T):
        for j in range(S):
            scores[i, j] = sum(query[i, d] * key[j, d] for d in range(d_k)) / d_k
    weights = softmax(scores, axis=0)
    output = np.zeros((T, d_v))
    for i in range(T):
        for j in range(S):
            output[i] += weights[i, j] * value[j]
    return output, weights


# %% right: nested comprehensions over plain numbers, columns of the values with zip
def attention_loops(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    rows = []
    for asks in query.tolist():
        fit = [sum(a * b for a, b in zip(asks, offers)) / len(asks) ** 0.5 for offers in key.tolist()]
        rows.append(softmax(np.array(fit)).tolist())
    columns = list(zip(*value.tolist()))
    mixed = [[sum(w * v for w, v in zip(row, column)) for column in columns] for row in rows]
    return np.array(mixed), np.array(rows)
