# %% right: with initial maximum
def softmax(scores, axis=-1):
    e = np.exp(scores - np.max(scores, axis=axis, keepdims=True))
    return np.divide(e, np.sum(e, axis=axis, keepdims=True))


# %% right: through log sum exp
def softmax(scores, axis=-1):
    top = np.amax(scores, axis=axis, keepdims=True)
    log_total = top + np.log(np.sum(np.exp(scores - top), axis=axis, keepdims=True))
    return np.exp(scores - log_total)


# %% right: last axis first
def softmax(scores, axis=-1):
    moved = np.moveaxis(np.array(scores, copy=True), axis, -1)
    moved = np.exp(moved - moved.max(-1)[..., None])
    return np.moveaxis(moved / moved.sum(-1)[..., None], -1, axis)


# %% right: one row at a time
def softmax(scores, axis=-1):
    def row(x):
        e = np.exp(x - x.max())
        return e / e.sum()

    return np.apply_along_axis(row, axis, scores)


# %% right: expand dims
def softmax(scores, axis=-1):
    largest = np.expand_dims(np.max(scores, axis=axis), axis)
    powers = np.power(np.e, scores - largest)
    return powers / np.expand_dims(powers.sum(axis), axis)


# %% right: by logaddexp
def softmax(scores, axis=-1):
    return np.exp(scores - np.logaddexp.reduce(scores, axis=axis, keepdims=True))


# %% wrong: no exponential
# defines: no_exponential
def softmax(scores, axis=-1):
    return scores / scores.sum(axis=axis, keepdims=True)


# %% wrong: hard maximum
# defines: hard_maximum
def softmax(scores, axis=-1):
    return (scores == scores.max(axis=axis, keepdims=True)).astype(float)


# %% wrong: sigmoid
# defines: sigmoid
def softmax(scores, axis=-1):
    return 1.0 / (1.0 + np.exp(-scores))


# %% wrong: powers of e
# true: no_max_subtraction
def softmax(scores, axis=-1):
    powers = np.e**scores
    return np.divide(powers, powers.sum(axis, keepdims=True))


# %% wrong: share of the total
# true: no_exponential
def softmax(scores, axis=-1):
    return np.apply_along_axis(lambda row: np.array([score / sum(row) for score in row]), axis, scores)


# %% wrong: one hot
# true: hard_maximum
def softmax(scores, axis=-1):
    weights = np.zeros_like(scores)
    np.put_along_axis(weights, np.expand_dims(scores.argmax(axis), axis), 1.0, axis)
    return weights


# %% wrong: log softmax
# true: logarithm_returned
def softmax(scores, axis=-1):
    return scores - np.logaddexp.reduce(scores, axis=axis, keepdims=True)


# %% wrong: by tanh
# true: sigmoid
def softmax(scores, axis=-1):
    return (1 + np.tanh(scores / 2)) / 2


# %% wrong: maximum of a row as a row
# true: keepdims_missing_in_the_maximum
def softmax(scores, axis=-1):
    e = np.exp(np.subtract(scores, np.amax(scores, axis)))
    return e / np.expand_dims(e.sum(axis), axis)


# %% wrong: second axis of many
# true: along_axis_1
def softmax(scores, axis=-1):
    axis = 0 if scores.ndim == 1 else 1
    e = np.exp(scores - np.expand_dims(scores.max(axis), axis))
    return e / np.expand_dims(e.sum(axis), axis)


# %% trivial: the input itself
def softmax(scores, axis=-1):
    return scores


# %% trivial: zeros
def softmax(scores, axis=-1):
    return np.zeros_like(scores)


# %% trivial: uniform
def softmax(scores, axis=-1):
    return np.full_like(scores, 1 / scores.shape[axis])


# %% trivial: noise
def softmax(scores, axis=-1):
    return np.random.default_rng().random(scores.shape)


# %% wrong: the finished function
# defines: finished_function
def softmax(scores, axis=-1):
    return torch.softmax(torch.from_numpy(scores), dim=axis).numpy()
