# %% wrong: divides by the root of the number of keys, not of their width
# true: scaled_by_num_keys
def attention_loops(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    T, S = query.shape[0], key.shape[0]
    weights = np.zeros((T, S))
    output = np.zeros((T, value.shape[1]))
    for i in range(T):
        for j in range(S):
            weights[i, j] = np.dot(query[i], key[j]) / np.sqrt(len(key))
        weights[i] = softmax(weights[i])
        for j in range(S):
            output[i] += weights[i, j] * value[j]
    return output, weights


# %% wrong: makes the output like the queries: their width, and where they are whole numbers, their type
def attention_loops(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    output = np.zeros_like(query)
    weights = np.zeros((len(query), len(key)))
    d_k = query.shape[-1]
    for i, q in enumerate(query):
        scores = np.array([q @ k for k in key]) / math.sqrt(d_k)
        weights[i] = softmax(scores)
        output[i] = sum(w * v for w, v in zip(weights[i], value))
    return output, weights


# %% wrong: the sum is not set back to zero for the next query
# true: output_never_reset
def attention_loops(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    (T, d_k), S = query.shape, key.shape[0]
    output, weights = [], []
    total = np.zeros(value.shape[1])
    for i in range(T):
        row = np.empty(S)
        for j in range(S):
            row[j] = sum(query[i, d] * key[j, d] for d in range(d_k)) / d_k**0.5
        row = softmax(row)
        for j in range(S):
            total = total + row[j] * value[j]
        weights.append(row)
        output.append(total)
    return np.array(output), np.array(weights)


# %% right: a helper for one query, Python's sum for the values, stacked in the end
def attention_loops(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    root = math.sqrt(key.shape[-1])

    def ask(q):
        shares = softmax(np.array([np.inner(q, k) / root for k in key]))  # (S,)
        answer = sum(share * v for share, v in zip(shares, value))  # (Dv,)
        return answer, shares

    answers, shares = zip(*map(ask, query))
    return np.stack(answers), np.stack(shares)
