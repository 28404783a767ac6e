"""Softmax: scores become weights.

The largest score is subtracted first, which leaves the weights as they are and keeps `exp` from overflowing.
`keepdims=True` is what makes it work along any axis.
"""

import numpy as np


def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    """Turn scores into positive weights that sum to 1 along ``axis``.

    A larger score gets a larger weight. No finite score, however large or small, may
    produce ``inf`` or ``nan``; a score of −∞ gets the weight 0.

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
