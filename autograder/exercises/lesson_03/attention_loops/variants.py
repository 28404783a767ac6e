# %% right: every number by itself
def attention_loops(query, key, value):
    T, S, D = len(query), len(key), len(query[0])
    output = np.zeros((T, len(value[0])))
    weights = np.zeros((T, S))
    for i in range(T):
        scores = np.zeros(S)
        for j in range(S):
            total = 0.0
            for d in range(D):
                total = total + query[i][d] * key[j][d]
            scores[j] = total * D**-0.5
        row = softmax(scores, axis=0)
        for j in range(S):
            weights[i, j] = row[j]
            for d in range(len(value[0])):
                output[i, d] += row[j] * value[j, d]
    return output, weights


# %% right: lists and zip
def attention_loops(query, key, value):
    output, weights = [], []
    for q in query.tolist():
        scores = [sum(a * b for a, b in zip(q, k, strict=True)) / math.sqrt(len(q)) for k in key.tolist()]
        row = softmax(np.array(scores)).tolist()
        weights.append(row)
        output.append([sum(w * v for w, v in zip(row, column, strict=True)) for column in value.T.tolist()])
    return np.array(output), np.array(weights)


# %% right: a softmax of its own
def attention_loops(query, key, value):
    weights = []
    for q in query:
        scores = [float(q.dot(k)) / math.sqrt(q.size) for k in key]
        top = max(scores)
        powers = [math.exp(score - top) for score in scores]
        weights.append([power / sum(powers) for power in powers])
    output = [sum(w * v for w, v in zip(row, value, strict=True)) for row in weights]
    return np.array(output), np.array(weights)


# %% right: one query at a time
def attention_loops(query, key, value):
    rows = [softmax(np.dot(key, q) / np.sqrt(len(q))) for q in query]
    return np.stack([np.dot(row, value) for row in rows]), np.stack(rows)


# %% right: one key at a time
def attention_loops(query, key, value):
    scores = np.empty((query.shape[0], key.shape[0]))
    for j, k in enumerate(key):
        scores[:, j] = (query * k).sum(axis=1)
    weights = softmax(scores / query.shape[1] ** 0.5, axis=1)
    output = np.zeros((query.shape[0], value.shape[1]))
    for j, v in enumerate(value):
        output += np.outer(weights[:, j], v)
    return output, weights


# %% right: query scaled first
def attention_loops(query, key, value):
    scaled = query / math.sqrt(query.shape[-1])
    weights = np.zeros((len(query), len(key)))
    for i, j in np.ndindex(*weights.shape):
        weights[i, j] = np.inner(scaled[i], key[j])
    for i in range(len(weights)):
        weights[i] = softmax(scores=weights[i], axis=-1)
    output = np.empty((len(query), value.shape[-1]))
    for i, d in np.ndindex(*output.shape):
        output[i, d] = weights[i] @ value[:, d]
    return output, weights


# %% right: running totals
def attention_loops(query, key, value):
    output, weights = np.zeros((len(query), value.shape[1])), np.zeros((len(query), len(key)))
    for i in range(len(query)):
        top, total = -np.inf, 0.0
        for j in range(len(key)):
            score = np.vdot(query[i], key[j]) / math.sqrt(query.shape[1])
            higher = max(top, score)
            shrink, power = math.exp(top - higher), math.exp(score - higher)
            total = total * shrink + power
            output[i] = output[i] * shrink + power * value[j]
            weights[i] *= shrink
            weights[i, j] = power
            top = higher
        output[i] /= total
        weights[i] /= total
    return output, weights


# %% right: along an axis
def attention_loops(query, key, value):
    def attend(q):
        return softmax(np.einsum("d,sd->s", q, key) / np.sqrt(q.shape[0]))

    weights = np.apply_along_axis(attend, 1, query)
    return np.apply_along_axis(lambda row: (row[:, None] * value).sum(0), 1, weights), weights


# %% wrong: sum of one value
# true: value_of_the_query
def attention_loops(query, key, value):
    weights = [softmax(np.dot(key, q) / len(q) ** 0.5) for q in query]
    return np.array([sum(w * value[i] for w in row) for i, row in enumerate(weights)]), np.array(weights)


# %% wrong: list of others
# true: other_words_only
def attention_loops(query, key, value):
    output, weights = np.zeros((len(query), value.shape[1])), np.zeros((len(query), len(key)))
    for i, q in enumerate(query):
        others = [j for j in range(len(key)) if j != i]
        weights[i, others] = softmax(key[others] @ q / math.sqrt(len(q)))
        output[i] = weights[i] @ value
    return output, weights


# %% wrong: total set to zero once
# true: total_never_reset
def attention_loops(query, key, value):
    scores = np.zeros((len(query), len(key)))
    total = 0.0
    for i in range(len(query)):
        for j in range(len(key)):
            for d in range(query.shape[1]):
                total += query[i, d] * key[j, d]
            scores[i, j] = total / np.sqrt(query.shape[1])
    weights = softmax(scores)
    return weights @ value, weights


# %% wrong: typed as int
# true: weights_of_whole_numbers
def attention_loops(query, key, value):
    weights = np.zeros((len(query), len(key)), dtype=int)
    for i in range(len(query)):
        weights[i, :] = softmax((query[i] * key).sum(1) / math.sqrt(query.shape[1]))
    return weights @ value, weights


# %% wrong: entry by entry
# true: output_of_whole_numbers
def attention_loops(query, key, value):
    weights = softmax(query @ key.T / math.sqrt(query.shape[1]))
    output = np.zeros((len(query), value.shape[1]), dtype=int)
    for i in range(len(query)):
        for d in range(value.shape[1]):
            for j in range(len(key)):
                output[i, d] += weights[i, j] * value[j, d]
    return output, weights


# %% wrong: new values
# true: values_overwritten
def attention_loops(query, key, value):
    weights = softmax(query @ key.T / math.sqrt(query.shape[1]))
    output = []
    for row in weights:
        for j, weight in enumerate(row):
            value[j] = weight * value[j]
        output.append(value.sum(axis=0))
    return np.array(output), weights


# %% wrong: keys added up
# true: keys_mixed
def attention_loops(query, key, value):
    weights = softmax(query @ key.T / math.sqrt(query.shape[1]))
    return np.array([sum(w * k for w, k in zip(row, key, strict=True)) for row in weights]), weights


# %% wrong: two slips
# true: unscaled, weights_first
def attention_loops(query, key, value):
    weights = np.array([softmax(key.dot(q)) for q in query])
    return weights, weights.dot(value)


# %% wrong: mean of the weighted
# true: output_averaged
def attention_loops(query, key, value):
    weights = np.array([softmax(np.array([q @ k for k in key]) / math.sqrt(len(q))) for q in query])
    return np.array([np.mean([w * v for w, v in zip(row, value, strict=True)], axis=0) for row in weights]), weights


# %% wrong: one softmax for all
# true: softmax_over_everything
def attention_loops(query, key, value):
    scores = [float(q @ k) / math.sqrt(len(q)) for q in query for k in key]
    weights = np.reshape(softmax(np.array(scores)), (len(query), len(key)))
    return np.array([sum(w * v for w, v in zip(row, value, strict=True)) for row in weights]), weights


# %% trivial: the input itself
def attention_loops(query, key, value):
    return np.resize(value, (len(query), value.shape[1])), np.eye(len(query), len(key))


# %% trivial: zeros
def attention_loops(query, key, value):
    return np.zeros((len(query), value.shape[1])), np.zeros((len(query), len(key)))


# %% trivial: uniform
def attention_loops(query, key, value):
    return np.tile(value.mean(axis=0), (len(query), 1)), np.full((len(query), len(key)), 1 / len(key))


# %% trivial: noise
def attention_loops(query, key, value):
    random = np.random.default_rng()
    return random.random((len(query), value.shape[1])), random.random((len(query), len(key)))
