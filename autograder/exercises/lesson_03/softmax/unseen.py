# %% wrong (first): the largest score of the whole array is subtracted, so a row far below it comes out as 0/0
# true: max_of_everything
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    e_x = np.exp(scores - np.max(scores))  # for numerical stability
    return e_x / e_x.sum(axis=axis, keepdims=True)

# %% wrong (first): each row is shifted by its mean, which still overflows when one score lies far above the others, and is nan beside a score of -inf
# true: mean_subtracted
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    scores = np.asarray(scores)
    centred = scores - scores.mean(axis=axis, keepdims=True)
    exps = np.exp(centred)
    total = np.sum(exps, axis=axis, keepdims=True)
    assert total.shape[axis] == 1
    return exps / total

# %% wrong (first): the scores are clipped to ±500, so larger ones all count as equal
# true: scores_clipped
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    # exp overflows at about 709, so keep away from it
    z = np.clip(scores, -500.0, 500.0)
    numerator = np.exp(z)
    denominator = np.sum(numerator, axis=axis, keepdims=True)
    return numerator / denominator

# %% wrong (first): the row's maximum is subtracted in place, so the caller's scores are changed
# true: input_overwritten
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    scores -= np.max(scores, axis=axis, keepdims=True)
    weights = np.exp(scores)
    weights /= np.sum(weights, axis=axis, keepdims=True)
    return weights

# %% wrong (first): axis is ignored, it always runs along the last axis
# true: axis_ignored
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    shifted = scores - np.max(scores, axis=-1, keepdims=True)
    exp_scores = np.exp(shifted)
    return exp_scores / np.sum(exp_scores, axis=-1, keepdims=True)

# %% wrong (first): exp overflows and the resulting nan is quietly replaced by 0
# true: nan_replaced
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        e = np.exp(scores)
        out = e / e.sum(axis=axis, keepdims=True)
    return np.nan_to_num(out, nan=0.0)

# %% wrong (first): minus infinity is replaced by -1e9, which outweighs finite scores that are smaller still
# true: minus_infinity_made_finite
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    safe = np.where(np.isneginf(scores), -1e9, scores)
    m = safe.max(axis=axis, keepdims=True)
    p = np.exp(safe - m)
    return p / p.sum(axis=axis, keepdims=True)

# %% wrong (first): only one and two dimensions are handled, with three or more None comes back / in two dimensions axis is ignored
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    if scores.ndim == 1:
        e = np.exp(scores - scores.max())
        return e / e.sum()
    elif scores.ndim == 2:
        e = np.exp(scores - scores.max(axis=1)[:, np.newaxis])
        return e / e.sum(axis=1)[:, np.newaxis]

# %% wrong (first): everything is computed in float32, so large scores that differ are rounded to the same number
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    x = np.array(scores, dtype=np.float32)
    x = x - np.max(x, axis=axis, keepdims=True)
    e = np.exp(x)
    return e / np.sum(e, axis=axis, keepdims=True)

# %% wrong (first): the logarithm of the sum is taken without any shift, so it overflows
# true: logarithm_not_shifted
def log_softmax(scores, axis):
    return scores - np.log(np.sum(np.exp(scores), axis=axis, keepdims=True))


def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    return np.exp(log_softmax(scores, axis))

# %% wrong (first): the smallest score is subtracted in place of the largest / the sum runs over the whole array
# true: minimum_subtracted, sum_of_everything
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    low = np.min(scores, axis=axis, keepdims=True)
    exps = np.exp(scores - low)
    return exps / np.sum(exps)

# %% wrong (first): the scores are divided by the largest absolute score to keep exp small, which flattens the weights
# true: divided_by_the_largest
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    largest = np.abs(scores).max(axis=axis, keepdims=True)
    scaled = scores / np.maximum(largest, 1.0)
    e = np.exp(scaled)
    return e / e.sum(axis=axis, keepdims=True)

# %% wrong (first): the maximum and the sum lose their axis, so it is right for one dimension only and mixes rows or crashes otherwise
# true: keepdims_missing_twice
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    e = np.exp(scores - scores.max(axis=axis))
    return e / e.sum(axis=axis)

# %% right (first): axis moved to the end, row maximum, moved back
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    x = np.moveaxis(np.asarray(scores), axis, -1)
    top = x.max(axis=-1)[..., None]
    e = np.exp(x - top)
    e = e / e.sum(axis=-1)[..., None]
    return np.moveaxis(e, -1, axis)

# %% right (first): a helper for one row, applied along the axis
def _one_row(row):
    numerators = np.exp(row - row.max())
    return numerators / numerators.sum()


def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    return np.apply_along_axis(_one_row, axis, scores)

# %% right (first): a copy that is worked on in place
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    out = np.array(scores, copy=True)
    out -= np.amax(out, axis=axis, keepdims=True)
    np.exp(out, out=out)
    out /= out.sum(axis=axis, keepdims=True)
    return out

# %% right (first): log-softmax after the shift, exponentiated
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    z = scores - np.max(scores, axis=axis, keepdims=True)
    log_total = np.log(np.exp(z).sum(axis=axis, keepdims=True))
    return np.exp(z - log_total)

# %% wrong (second): the greatest score of the whole array is subtracted, so a row far below another one becomes 0 over 0
# true: max_of_everything
def softmax(scores, axis=-1):
    scores = np.asarray(scores, dtype=np.float64)
    e = np.exp(scores - np.max(scores))
    return e / e.sum(axis=axis, keepdims=True)


# %% wrong (second): the maximum is always taken along the last axis, whatever axis the weights sum along
# true: maximum_along_the_last_axis
def softmax(scores, axis=-1):
    shifted = scores - scores.max(-1, keepdims=True)
    exps = np.exp(shifted)
    return exps / np.sum(exps, axis=axis, keepdims=True)


# %% wrong (second): the maximum is subtracted in place, so the scores that were passed in are changed
def softmax(scores, axis=-1):
    scores -= np.max(scores, axis=axis, keepdims=True)
    np.exp(scores, out=scores)
    scores /= np.sum(scores, axis=axis, keepdims=True)
    return scores


# %% right (second): shifted by the maximum, then through the log of the sum, after the axis has been moved to the end
def softmax(scores, axis=-1):
    moved = np.moveaxis(np.array(scores, dtype=float), axis, -1)
    moved = moved - moved.max(axis=-1, keepdims=True)
    log_total = np.log(np.exp(moved).sum(axis=-1, keepdims=True))
    return np.moveaxis(np.exp(moved - log_total), -1, axis)

# %% wrong (third): subtracts the largest score of the whole array, so that rows far below it become 0 by 0
# true: max_of_everything
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    e_x = np.exp(scores - np.max(scores))
    return e_x / e_x.sum(axis=axis, keepdims=True)


# %% wrong (third): puts the summed axis back at the end, which is right for the last axis only
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    shifted = scores - scores.max(axis=axis, keepdims=True)
    exponentials = np.exp(shifted)
    return exponentials / exponentials.sum(axis=axis)[..., None]


# %% wrong (third): cuts the scores off at ±700 instead of shifting them / and does so in the caller's array
# true: scores_clipped
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    np.clip(scores, -700, 700, out=scores)  # exp overflows beyond 709
    exp = np.exp(scores)
    return exp / np.sum(exp, axis=axis, keepdims=True)


# %% right (third): the axis is moved to the front and back again, no keepdims
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    rows = np.moveaxis(scores * 1.0, axis, 0)  # a copy, of floating-point numbers
    with np.errstate(over="ignore"):  # the gap between two scores may be -inf: its weight is 0
        weights = np.exp(rows - rows.max(axis=0))
    weights /= weights.sum(axis=0)
    return np.moveaxis(weights, 0, axis)

# %% wrong (last): the maximum of the whole array is subtracted, so a row far below it becomes nan
# true: max_of_everything
# Violates "no finite score, however large or small, may produce inf or nan".
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    shifted = scores - np.max(scores)
    exps = np.exp(shifted)
    return exps / exps.sum(axis=axis, keepdims=True)


# %% wrong (last): the logarithm of the sum is subtracted, and beside very large scores it is rounded away
# Violates "Every finite score, however large or small, must give the right weights":
# of two scores of 1e16 each gets the weight 1, and of two of 1e15 about 0.47.
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    log_sum = np.logaddexp.reduce(scores, axis=axis, keepdims=True)
    return np.exp(scores - log_sum)


# %% right (last): row by row with Python's own exp and fsum
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    def of_row(row: np.ndarray) -> np.ndarray:
        numbers = row.tolist()
        best = max(numbers)
        raised = [math.exp(number - best) for number in numbers]
        whole = math.fsum(raised)
        return np.array([part / whole for part in raised])

    return np.apply_along_axis(of_row, axis, scores)


# %% wrong (fifth): the sum gets its axis back at the end, whichever axis it was: only right for the last
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    exponentials = np.exp(scores - np.max(scores, axis=axis, keepdims=True))
    return exponentials / exponentials.sum(axis=axis)[..., None]


# %% wrong (fifth): the mean is subtracted, not the maximum: widely spread scores and minus infinity give nan
# true: mean_subtracted
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    centred = scores - scores.mean(axis=axis, keepdims=True)
    e = np.exp(centred)
    return e / e.sum(axis=axis, keepdims=True)


# %% right (fifth): one row at a time, with apply_along_axis
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    def one_row(row):
        e = np.exp(row - row.max())
        return e / e.sum()

    return np.apply_along_axis(one_row, axis, scores)
