# %% wrong: the greatest score of the whole array is subtracted, so a row far below another one becomes 0 over 0
# true: max_of_everything
def softmax(scores, axis=-1):
    scores = np.asarray(scores, dtype=np.float64)
    e = np.exp(scores - np.max(scores))
    return e / e.sum(axis=axis, keepdims=True)


# %% wrong: the maximum is always taken along the last axis, whatever axis the weights sum along
# true: maximum_along_the_last_axis
def softmax(scores, axis=-1):
    shifted = scores - scores.max(-1, keepdims=True)
    exps = np.exp(shifted)
    return exps / np.sum(exps, axis=axis, keepdims=True)


# %% wrong: the maximum is subtracted in place, so the scores that were passed in are changed
def softmax(scores, axis=-1):
    scores -= np.max(scores, axis=axis, keepdims=True)
    np.exp(scores, out=scores)
    scores /= np.sum(scores, axis=axis, keepdims=True)
    return scores


# %% right: shifted by the maximum, then through the log of the sum, after the axis has been moved to the end
def softmax(scores, axis=-1):
    moved = np.moveaxis(np.array(scores, dtype=float), axis, -1)
    moved = moved - moved.max(axis=-1, keepdims=True)
    log_total = np.log(np.exp(moved).sum(axis=-1, keepdims=True))
    return np.moveaxis(np.exp(moved - log_total), -1, axis)
