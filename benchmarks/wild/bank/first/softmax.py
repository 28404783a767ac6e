# %% wrong: the largest score of the whole array is subtracted, so a row far below it comes out as 0/0
# true: max_of_everything
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    e_x = np.exp(scores - np.max(scores))  # for numerical stability
    return e_x / e_x.sum(axis=axis, keepdims=True)

# %% wrong: each row is shifted by its mean, which still overflows when one score lies far above the others, and is nan beside a score of -inf
# true: mean_subtracted
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    scores = np.asarray(scores)
    centred = scores - scores.mean(axis=axis, keepdims=True)
    exps = np.exp(centred)
    total = np.sum(exps, axis=axis, keepdims=True)
    assert total.shape[axis] == 1
    return exps / total

# %% wrong: the scores are clipped to ±500, so larger ones all count as equal
# true: scores_clipped
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    # exp overflows at about 709, so keep away from it
    z = np.clip(scores, -500.0, 500.0)
    numerator = np.exp(z)
    denominator = np.sum(numerator, axis=axis, keepdims=True)
    return numerator / denominator

# %% wrong: the row's maximum is subtracted in place, so the caller's scores are changed
# true: input_overwritten
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    scores -= np.max(scores, axis=axis, keepdims=True)
    weights = np.exp(scores)
    weights /= np.sum(weights, axis=axis, keepdims=True)
    return weights

# %% wrong: axis is ignored, it always runs along the last axis
# true: axis_ignored
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    shifted = scores - np.max(scores, axis=-1, keepdims=True)
    exp_scores = np.exp(shifted)
    return exp_scores / np.sum(exp_scores, axis=-1, keepdims=True)

# %% wrong: exp overflows and the resulting nan is quietly replaced by 0
# true: nan_replaced
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        e = np.exp(scores)
        out = e / e.sum(axis=axis, keepdims=True)
    return np.nan_to_num(out, nan=0.0)

# %% wrong: minus infinity is replaced by -1e9, which outweighs finite scores that are smaller still
# true: minus_infinity_made_finite
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    safe = np.where(np.isneginf(scores), -1e9, scores)
    m = safe.max(axis=axis, keepdims=True)
    p = np.exp(safe - m)
    return p / p.sum(axis=axis, keepdims=True)

# %% wrong: only one and two dimensions are handled, with three or more None comes back / in two dimensions axis is ignored
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    if scores.ndim == 1:
        e = np.exp(scores - scores.max())
        return e / e.sum()
    elif scores.ndim == 2:
        e = np.exp(scores - scores.max(axis=1)[:, np.newaxis])
        return e / e.sum(axis=1)[:, np.newaxis]

# %% wrong: everything is computed in float32, so large scores that differ are rounded to the same number
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    x = np.array(scores, dtype=np.float32)
    x = x - np.max(x, axis=axis, keepdims=True)
    e = np.exp(x)
    return e / np.sum(e, axis=axis, keepdims=True)

# %% wrong: the logarithm of the sum is taken without any shift, so it overflows
# true: logarithm_not_shifted
def log_softmax(scores, axis):
    return scores - np.log(np.sum(np.exp(scores), axis=axis, keepdims=True))


def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    return np.exp(log_softmax(scores, axis))

# %% wrong: the smallest score is subtracted in place of the largest / the sum runs over the whole array
# true: minimum_subtracted, sum_of_everything
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    low = np.min(scores, axis=axis, keepdims=True)
    exps = np.exp(scores - low)
    return exps / np.sum(exps)

# %% wrong: the scores are divided by the largest absolute score to keep exp small, which flattens the weights
# true: divided_by_the_largest
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    largest = np.abs(scores).max(axis=axis, keepdims=True)
    scaled = scores / np.maximum(largest, 1.0)
    e = np.exp(scaled)
    return e / e.sum(axis=axis, keepdims=True)

# %% wrong: the maximum and the sum lose their axis, so it is right for one dimension only and mixes rows or crashes otherwise
# true: keepdims_missing_twice
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    e = np.exp(scores - scores.max(axis=axis))
    return e / e.sum(axis=axis)

# %% right: axis moved to the end, row maximum, moved back
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    x = np.moveaxis(np.asarray(scores), axis, -1)
    top = x.max(axis=-1)[..., None]
    e = np.exp(x - top)
    e = e / e.sum(axis=-1)[..., None]
    return np.moveaxis(e, -1, axis)

# %% right: a helper for one row, applied along the axis
def _one_row(row):
    numerators = np.exp(row - row.max())
    return numerators / numerators.sum()


def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    return np.apply_along_axis(_one_row, axis, scores)

# %% right: a copy that is worked on in place
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    out = np.array(scores, copy=True)
    out -= np.amax(out, axis=axis, keepdims=True)
    np.exp(out, out=out)
    out /= out.sum(axis=axis, keepdims=True)
    return out

# %% right: log-softmax after the shift, exponentiated
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    z = scores - np.max(scores, axis=axis, keepdims=True)
    log_total = np.log(np.exp(z).sum(axis=axis, keepdims=True))
    return np.exp(z - log_total)
