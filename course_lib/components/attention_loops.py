"""Attention one number at a time.

It's slow on purpose: each line is one symbol of the formula. Once you trust it, it's the judge of the fast one.
"""

import math

import numpy as np

from course_lib.components.softmax import softmax


def attention_loops(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Scaled dot-product attention for one sentence, written with loops.

    Each query scores every key, spreads a total weight of 1 over them with your ``softmax``,
    and receives the weighted sum of the values.

    Args:
        query: (T, Dk), one row a query.
        key: (S, Dk), one row a key.
        value: (S, Dv), one row a value.

    Returns:
        ``(output, weights)`` of shapes (T, Dv) and (T, S).

    Source: COS 484 lecture 8, "Self-attention", steps 2 and 3.
    """
    num_queries, d_k = query.shape
    num_keys, d_v = value.shape
    output = np.zeros((num_queries, d_v))  # (T, Dv)
    weights = np.zeros((num_queries, num_keys))  # (T, S)
    for i in range(num_queries):
        scores = np.zeros(num_keys)  # (S,)
        for j in range(num_keys):
            scores[j] = sum(query[i, d] * key[j, d] for d in range(d_k)) / math.sqrt(d_k)
        weights[i] = softmax(scores)
        for j in range(num_keys):
            output[i] += weights[i, j] * value[j]
    return output, weights
