# %% wrong (first): the scores are not divided by the root of Dk
# true: unscaled
def attention_loops(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    outputs, all_weights = [], []
    for q in query:
        scores = []
        for k in key:
            scores.append(sum(a * b for a, b in zip(q, k)))
        w = softmax(np.array(scores))
        outputs.append(sum(w_j * v_j for w_j, v_j in zip(w, value)))
        all_weights.append(w)
    return np.array(outputs), np.array(all_weights)

# %% wrong (first): the root is cut to a whole number, so the scale is off unless Dk is a square
# true: root_cut_to_a_whole_number
def attention_loops(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    T, d_k = query.shape
    S, d_v = value.shape
    scale = int(math.sqrt(d_k))
    weights = np.zeros((T, S))
    output = np.zeros((T, d_v))
    for i in range(T):
        for j in range(S):
            weights[i, j] = np.dot(query[i], key[j]) / scale
        weights[i] = softmax(weights[i])
        for j in range(S):
            output[i] += weights[i, j] * value[j]
    return output, weights

# %% wrong (first): one context vector serves all queries, it is never set back to zero and every row is that same array
# true: one_output_for_all
def attention_loops(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    context = np.zeros(value.shape[1])
    outputs = []
    weights = []
    for i in range(len(query)):
        row = np.array([query[i] @ key[j] / np.sqrt(query.shape[1]) for j in range(len(key))])
        a = softmax(row)
        for j in range(len(key)):
            context += a[j] * value[j]
        outputs.append(context)
        weights.append(a)
    return np.stack(outputs), np.stack(weights)

# %% wrong (first): the weighted values overwrite each other, so only the last key's share is left
# true: only_the_last_key
def attention_loops(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    T, S = query.shape[0], key.shape[0]
    Dk, Dv = query.shape[1], value.shape[1]
    output = np.zeros((T, Dv), dtype=np.float64)
    weights = np.zeros((T, S), dtype=np.float64)
    for i in range(T):
        scores = np.zeros(S)
        for j in range(S):
            scores[j] = np.dot(query[i], key[j]) / math.sqrt(Dk)
        weights[i, :] = softmax(scores)
        for j in range(S):
            output[i, :] = weights[i, j] * value[j, :]
    return output, weights

# %% wrong (first): all scores are collected first and the softmax then runs over the queries
# true: softmax_over_queries
def attention_loops(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    T, d_k = query.shape
    S = key.shape[0]
    scores = np.empty((T, S))
    for i in range(T):
        for j in range(S):
            scores[i][j] = (query[i] * key[j]).sum() / d_k**0.5
    weights = softmax(scores, axis=0)
    output = np.zeros((T, value.shape[1]))
    for i in range(T):
        for j in range(S):
            output[i] += weights[i][j] * value[j]
    return output, weights

# %% wrong (first): each query only looks at the keys up to its own place
# true: earlier_keys_only
def attention_loops(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    T, S = len(query), len(key)
    weights = np.zeros((T, S))
    output = np.zeros((T, value.shape[1]))
    for i in range(T):
        upto = min(i + 1, S)
        s = np.array([query[i] @ key[j] for j in range(upto)]) / np.sqrt(key.shape[1])
        weights[i, :upto] = softmax(s)
        for j in range(upto):
            output[i] += weights[i, j] * value[j]
    return output, weights

# %% wrong (first): the table of weights is made as many columns wide as there are queries
# true: square_weights
def attention_loops(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    n = query.shape[0]
    d_k = query.shape[1]
    weights = np.zeros((n, n))
    output = np.zeros((n, value.shape[1]))
    for i in range(n):
        for j in range(n):
            weights[i, j] = np.dot(query[i], key[j]) / math.sqrt(d_k)
        weights[i] = softmax(weights[i])
        for j in range(n):
            output[i] += weights[i, j] * value[j]
    return output, weights

# %% wrong (first): exp is written out by hand without a shift, so large scores give nan
# true: no_max_subtraction
def attention_loops(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    output, weights = [], []
    for q_i in query:
        exps = []
        for k_j in key:
            exps.append(np.exp(np.dot(q_i, k_j) / np.sqrt(len(q_i))))
        total = sum(exps)
        alpha = [e / total for e in exps]
        o_i = np.zeros(value.shape[-1])
        for a, v in zip(alpha, value):
            o_i = o_i + a * v
        output.append(o_i)
        weights.append(alpha)
    return np.array(output), np.array(weights)

# %% wrong (first): the scale is taken from the number of keys, not from their width / the scores are returned in place of the weights
# true: scaled_by_num_keys, scores_returned
def attention_loops(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    d_k = len(key)
    out = np.zeros((len(query), value.shape[1]))
    scores = np.zeros((len(query), len(key)))
    for i, q in enumerate(query):
        for j, k in enumerate(key):
            scores[i, j] = q.dot(k) / np.sqrt(d_k)
        for j, w in enumerate(softmax(scores[i])):
            out[i] += w * value[j]
    return out, scores

# %% wrong (first): the softmax is divided by the root of Dk, not the scores, so weights do not sum to 1
# true: scaled_after_softmax
def attention_loops(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    T, Dk = query.shape
    S, Dv = value.shape
    output = np.zeros((T, Dv))
    weights = np.zeros((T, S))
    for i in range(T):
        for j in range(S):
            for d in range(Dk):
                weights[i, j] += query[i, d] * key[j, d]
        weights[i] = softmax(weights[i]) / math.sqrt(Dk)
        for j in range(S):
            for d in range(Dv):
                output[i, d] += weights[i, j] * value[j, d]
    return output, weights

# %% wrong (first): the queries are scaled in place, so the caller's array is changed
# true: query_overwritten
def attention_loops(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    query /= np.sqrt(query.shape[-1])
    weights = np.zeros((query.shape[0], key.shape[0]))
    output = np.zeros((query.shape[0], value.shape[1]))
    for i in range(query.shape[0]):
        for j in range(key.shape[0]):
            weights[i, j] = np.dot(query[i], key[j])
        weights[i] = softmax(weights[i])
        output[i] = (weights[i][:, None] * value).sum(axis=0)
    return output, weights

# %% right (first): lists, zip and sum in plain Python
def attention_loops(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    root = math.sqrt(query.shape[1])
    output, weights = [], []
    for q in query:
        scores = [sum(float(a) * float(b) for a, b in zip(q, k)) / root for k in key]
        shares = softmax(np.array(scores))
        output.append(sum(share * v for share, v in zip(shares, value)))
        weights.append(shares)
    return np.array(output), np.array(weights)

# %% right (first): arrays filled in, four nested loops
def attention_loops(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    (T, Dk), (S, Dv) = query.shape, value.shape
    weights = np.zeros((T, S))
    output = np.zeros((T, Dv))
    for i in range(T):
        row = np.zeros(S)
        for j in range(S):
            for d in range(Dk):
                row[j] += query[i, d] * key[j, d]
            row[j] *= Dk ** -0.5
        weights[i] = softmax(row)
        for j in range(S):
            for d in range(Dv):
                output[i, d] += weights[i, j] * value[j, d]
    return output, weights

# %% right (first): a helper for one query, stacked with comprehensions
def _attend(q, key, value):
    scores = np.array([q @ k for k in key]) / np.sqrt(key.shape[-1])
    w = softmax(scores)
    total = np.zeros(value.shape[-1])
    for w_j, v_j in zip(w, value):
        total += w_j * v_j
    return total, w


def attention_loops(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    pairs = [_attend(q, key, value) for q in query]
    return np.stack([o for o, _ in pairs]), np.stack([w for _, w in pairs])

# %% wrong (second): the scores are divided by the root of the values' width instead of the keys'
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


# %% wrong (second): the softmax runs over the queries, so that each key's column sums to 1 instead of each query's row
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


# %% wrong (second): each query looks at as many keys as there are queries, so further keys are left out and fewer keys crash
# true: square_weights
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


# %% right (second): lists and comprehensions, the query divided beforehand
def attention_loops(query, key, value):
    root = math.sqrt(query.shape[-1])
    weights, output = [], []
    for q in query:
        q = q / root
        row = softmax(np.array([float((q * k).sum()) for k in key]))
        weights.append(row)
        output.append(sum(w * v for w, v in zip(row, value)))
    return np.stack(output), np.stack(weights)

# %% wrong (third): divides by the root of the number of keys, not of their width
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


# %% wrong (third): makes the output like the queries: their width, and where they are whole numbers, their type
# true: output_as_wide_as_the_query
def attention_loops(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    output = np.zeros_like(query)
    weights = np.zeros((len(query), len(key)))
    d_k = query.shape[-1]
    for i, q in enumerate(query):
        scores = np.array([q @ k for k in key]) / math.sqrt(d_k)
        weights[i] = softmax(scores)
        output[i] = sum(w * v for w, v in zip(weights[i], value))
    return output, weights


# %% wrong (third): the sum is not set back to zero for the next query
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


# %% right (third): a helper for one query, Python's sum for the values, stacked in the end
def attention_loops(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    root = math.sqrt(key.shape[-1])

    def ask(q):
        shares = softmax(np.array([np.inner(q, k) / root for k in key]))  # (S,)
        answer = sum(share * v for share, v in zip(shares, value))  # (Dv,)
        return answer, shares

    answers, shares = zip(*map(ask, query))
    return np.stack(answers), np.stack(shares)

# %% wrong (last): divided by the root of the number of keys, for len(key) was taken for their width
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


# %% wrong (last): softmax along axis 0, over the queries / divided by Dk and not by its root
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


# %% right (last): nested comprehensions over plain numbers, columns of the values with zip
def attention_loops(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    rows = []
    for asks in query.tolist():
        fit = [sum(a * b for a, b in zip(asks, offers)) / len(asks) ** 0.5 for offers in key.tolist()]
        rows.append(softmax(np.array(fit)).tolist())
    columns = list(zip(*value.tolist()))
    mixed = [[sum(w * v for w, v in zip(row, column)) for column in columns] for row in rows]
    return np.array(mixed), np.array(rows)


# %% wrong (fifth): loops over as many keys as there are queries, so with S > T the last keys get weight 0
# true: as_many_keys_as_queries
def attention_loops(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    n, d_k = query.shape
    weights = np.zeros((n, len(key)))
    output = np.zeros((n, value.shape[1]))
    for i in range(n):
        scores = np.full(len(key), -np.inf)
        for j in range(n):
            scores[j] = np.dot(query[i], key[j]) / np.sqrt(d_k)
        weights[i] = softmax(scores)
        for j in range(n):
            output[i] += weights[i, j] * value[j]
    return output, weights


# %% wrong (fifth): divides by the root of the width of the values instead of the keys
# true: scaled_by_d_v
def attention_loops(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    T, S, d = query.shape[0], key.shape[0], value.shape[1]
    output, weights = np.zeros((T, d)), np.zeros((T, S))
    for t in range(T):
        scores = np.zeros(S)
        for s in range(S):
            scores[s] = (query[t] * key[s]).sum() / math.sqrt(d)
        weights[t] = softmax(scores)
        for s in range(S):
            output[t] += weights[t, s] * value[s]
    return output, weights


# %% right (fifth): nothing but Python sums over zip, arrays are made at the end
def attention_loops(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    root = query.shape[1] ** 0.5
    output, weights = [], []
    for q in query:
        scores = []
        for k in key:
            scores.append(sum(a * b for a, b in zip(q, k)) / root)
        row = softmax(np.array(scores))
        weights.append(row)
        output.append([sum(w * v for w, v in zip(row, column)) for column in value.T])
    return np.array(output), np.array(weights)
