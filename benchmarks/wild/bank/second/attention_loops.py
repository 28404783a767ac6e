# %% wrong: the scores are divided by the root of the values' width instead of the keys'
# true: scaled_by_d_v
def attention_loops(query, key, value):
    T, S = len(query), len(key)
    d_k = value.shape[1]
    weights = np.zeros((T, S))
    output = np.zeros((T, value.shape[1]))
    for i in range(T):
        scores = np.array([np.dot(query[i], key[j]) for j in range(S)]) / np.sqrt(d_k)
        weights[i] = softmax(scores)
        for j in range(S):
            output[i] += weights[i, j] * value[j]
    return output, weights


# %% wrong: the softmax runs over the queries, so that each key's column sums to 1 instead of each query's row
# true: softmax_over_queries
def attention_loops(query, key, value):
    scores = np.empty((query.shape[0], key.shape[0]), dtype=np.float32)
    for i, q in enumerate(query):
        for j, k in enumerate(key):
            total = 0.0
            for a, b in zip(q, k):
                total += a * b
            scores[i][j] = total / math.sqrt(len(k))
    weights = softmax(scores, axis=0)
    output = np.stack([sum(w * v for w, v in zip(row, value)) for row in weights])
    return output, weights


# %% wrong: each query looks at as many keys as there are queries, so further keys are left out and fewer keys crash
def attention_loops(query, key, value):
    n, d_k = query.shape
    outputs = []
    all_weights = []
    for i in range(n):
        row = []
        for j in range(n):
            row.append(query[i] @ key[j] / d_k**0.5)
        w = softmax(np.array(row))
        all_weights.append(w)
        out = np.zeros(value.shape[1])
        for j in range(n):
            out = out + w[j] * value[j]
        outputs.append(out)
    return np.array(outputs), np.array(all_weights)


# %% right: lists and comprehensions, the query divided beforehand
def attention_loops(query, key, value):
    root = math.sqrt(query.shape[-1])
    weights, output = [], []
    for q in query:
        q = q / root
        row = softmax(np.array([float((q * k).sum()) for k in key]))
        weights.append(row)
        output.append(sum(w * v for w, v in zip(row, value)))
    return np.stack(output), np.stack(weights)
