"""Softmax: scores become weights."""

import numpy as np


def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    """Turn scores into positive weights that sum to 1 along ``axis``.

    ``weights_j = exp(scores_j) / sum_k exp(scores_k)``

    Softmax does not change when a constant is added to every score of a row. Use that
    freedom: no finite score, however large or small, may produce ``inf`` or ``nan``.

    Args:
        scores: array of any shape.
        axis: the axis along which the weights sum to 1.

    Returns:
        An array of the same shape as ``scores``, which is left as it was.

    Source: CS224N lecture 8, "Self-Attention: keys, queries, values", step 2.
    """
    shifted = scores - scores.max(axis=axis, keepdims=True)  # the largest score becomes 0
    exponentials = np.exp(shifted)
    weights: np.ndarray = exponentials / exponentials.sum(axis=axis, keepdims=True)
    return weights
