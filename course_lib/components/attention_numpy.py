"""Attention as three matrix operations.

`swapaxes(key, -2, -1)` instead of `key.T`, which would reverse the batch's axes as well. The width is read off the
query, so nothing has to be passed.
"""

import math

import numpy as np

from course_lib.components.softmax import softmax


def attention_numpy(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Scaled dot-product attention for all queries at once, without a loop.

    Args:
        query: (..., T, Dk). The leading dimensions, a batch for instance, may be any or none.
        key: (..., S, Dk).
        value: (..., S, Dv).

    Returns:
        ``(output, weights)`` of shapes (..., T, Dv) and (..., T, S).

    Source: Vaswani et al. 2017, eq. 1; COS 484 lecture 8, "matrix notations".
    """
    scores = query @ np.swapaxes(key, -2, -1) / math.sqrt(query.shape[-1])  # (..., T, S)
    weights = softmax(scores, axis=-1)  # (..., T, S)
    return weights @ value, weights
