"""Scaled dot-product attention, the operation that every later lesson builds on.

One mask fill comes before the softmax, one after it: the first hides keys, the second clears rows that may see none.
`transpose(-2, -1)` leaves all axes before it alone, so heads and batches work unchanged. `F.dropout` drops weights
whenever it is called, so the caller passes 0.0 outside training.
"""

import math

import torch
from torch import Tensor
from torch.nn import functional as F


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:
    """Scaled dot-product attention, with a mask that says who may look at whom.

    Args:
        query: (..., T, Dk). The leading dimensions may be any: none, a batch, batch and heads.
        key: (..., S, Dk).
        value: (..., S, Dv).
        mask: boolean, **True = may attend**, broadcastable to (..., T, S). A masked key gets
            weight 0. A query whose keys are all masked gets weights and output of zeros.
        dropout: the probability with which each weight is dropped before values are mixed. The weights that are kept
            are divided by ``1 - dropout``.

    Returns:
        ``(output, weights)`` of shapes (..., T, Dv) and (..., T, S). The weights are those before dropout.

    Source: Vaswani et al. 2017, eq. 1; CS224N lecture 8, "Scaled Dot Product".
    """
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))  # (..., T, S)
    if mask is not None:
        # the lowest finite number, not -inf: softmax makes NaN of a row of nothing but -inf
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)  # (..., T, S)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)  # matters only where every key is masked
    return F.dropout(weights, dropout) @ value, weights
