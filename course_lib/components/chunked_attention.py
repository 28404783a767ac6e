"""Exact attention that never has more than one chunk of scores in memory.

It keeps three running quantities and divides only at the end. Rows without any key have a total of 0; they're
divided by 1, so they come out as 0, as in `scaled_dot_product_attention`.
"""

import math

from torch import Tensor

from course_lib.components.online_softmax import online_softmax


def chunked_attention(query: Tensor, key: Tensor, value: Tensor, chunk_size: int, mask: Tensor | None = None) -> Tensor:
    """Scaled dot-product attention, one chunk of keys after the other.

    The output is that of attention over all keys at once, but no tensor of shape (..., T, S) is ever made: memory
    grows with T + S, not with T times S.

    Args:
        query: (..., T, Dk).
        key: (..., S, Dk).
        value: (..., S, Dv).
        chunk_size: C, how many keys a chunk has, at least 1; the last chunk may be smaller.
        mask: (..., T, S), boolean, **True = may attend**, with an axis of length 1 if it is the same for all batches
            or queries. A query whose keys are all masked gets zeros.

    Returns:
        The output (..., T, Dv).

    Source: Rabe & Staats 2021, section 2; Dao et al. 2022, section 3.1.
    """
    maximum = query.new_full(query.shape[:-1], -math.inf)  # (..., T)
    total = query.new_zeros(query.shape[:-1])  # (..., T)
    mixture = query.new_zeros(*query.shape[:-1], value.size(-1))  # (..., T, Dv)
    for start in range(0, key.size(-2), chunk_size):
        chunk = slice(start, start + chunk_size)
        scores = query @ key[..., chunk, :].transpose(-2, -1) / math.sqrt(query.size(-1))  # (..., T, C)
        if mask is not None:
            scores = scores.masked_fill(~mask[..., chunk], -math.inf)
        maximum, total, mixture = online_softmax(maximum, total, mixture, scores, value[..., chunk, :])
    return mixture / total.masked_fill(total == 0, 1.0).unsqueeze(-1)
