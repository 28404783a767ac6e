# %% wrong: the maximum of the whole array is subtracted, so a row far below it becomes nan
# true: max_of_everything
# Violates "no finite score, however large or small, may produce inf or nan".
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    shifted = scores - np.max(scores)
    exps = np.exp(shifted)
    return exps / exps.sum(axis=axis, keepdims=True)


# %% wrong: the logarithm of the sum is subtracted, and beside very large scores it is rounded away
# Violates "Every finite score, however large or small, must give the right weights":
# of two scores of 1e16 each gets the weight 1, and of two of 1e15 about 0.47.
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    log_sum = np.logaddexp.reduce(scores, axis=axis, keepdims=True)
    return np.exp(scores - log_sum)


# %% right: row by row with Python's own exp and fsum
def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    def of_row(row: np.ndarray) -> np.ndarray:
        numbers = row.tolist()
        best = max(numbers)
        raised = [math.exp(number - best) for number in numbers]
        whole = math.fsum(raised)
        return np.array([part / whole for part in raised])

    return np.apply_along_axis(of_row, axis, scores)
