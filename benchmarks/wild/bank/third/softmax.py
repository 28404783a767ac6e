# %% wrong: subtracts the largest score of the whole array, so that rows far below it become 0 by 0
# true: max_of_everything
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    e_x = np.exp(scores - np.max(scores))
    return e_x / e_x.sum(axis=axis, keepdims=True)


# %% wrong: puts the summed axis back at the end, which is right for the last axis only
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    shifted = scores - scores.max(axis=axis, keepdims=True)
    exponentials = np.exp(shifted)
    return exponentials / exponentials.sum(axis=axis)[..., None]


# %% wrong: cuts the scores off at ±700 instead of shifting them / and does so in the caller's array
# true: scores_clipped
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    np.clip(scores, -700, 700, out=scores)  # exp overflows beyond 709
    exp = np.exp(scores)
    return exp / np.sum(exp, axis=axis, keepdims=True)


# %% right: the axis is moved to the front and back again, no keepdims
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    rows = np.moveaxis(scores * 1.0, axis, 0)  # a copy, of floating-point numbers
    with np.errstate(over="ignore"):  # the gap between two scores may be -inf: its weight is 0
        weights = np.exp(rows - rows.max(axis=0))
    weights /= weights.sum(axis=0)
    return np.moveaxis(weights, 0, axis)
