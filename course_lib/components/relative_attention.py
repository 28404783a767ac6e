"""Attention with relative positions: what a key says depends on how far away it is.

Two `einsum`s replace a loop over pairs, and (T, S, D) is in memory once, not for each head and sentence. Both terms
come before the scaling, as in Shaw et al.
"""

import math

import torch
from torch import Tensor

from course_lib.components.relative_positions import relative_positions


def relative_attention(
    query: Tensor, key: Tensor, value: Tensor, key_table: Tensor, value_table: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Scaled dot-product attention in which every distance has a vector for keys and one for values.

    With ``r = relative_positions(T, S, K)``, query t is compared with ``key[s] + key_table[r[t, s]]`` and receives
    ``value[s] + value_table[r[t, s]]``. The sum of both terms is divided by the root of Dk.

    Args:
        query: (..., T, Dk).
        key: (..., S, Dk).
        value: (..., S, Dv).
        key_table: (2K + 1, Dk), a vector for each distance from -K to K, the same for every batch and head.
        value_table: (2K + 1, Dv).
        mask: boolean, **True = may attend**, broadcastable to (..., T, S). A masked key gets weight 0. A query whose
            keys are all masked gets weights and output of zeros.

    Returns:
        ``(output, weights)`` of shapes (..., T, Dv) and (..., T, S).

    Source: Shaw et al. 2018, eq. 3 and 4; CSC401, "Relative linear position attention".
    """
    rows = relative_positions(query.size(-2), key.size(-2), len(key_table) // 2)  # (T, S)
    near = torch.einsum("...td,tsd->...ts", query, key_table[rows])  # (..., T, S)
    scores = (query @ key.transpose(-2, -1) + near) / math.sqrt(query.size(-1))  # (..., T, S)
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)  # (..., T, S)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)  # matters only where every key is masked
    output = weights @ value + torch.einsum("...ts,tsd->...td", weights, value_table[rows])  # (..., T, Dv)
    return output, weights
