"""An attention with one mistake. Lesson 03 asks which: answer there before you read on here."""

import torch
from torch import Tensor
from torch.nn import functional as F


def mystery_attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Trains, and is wrong.

    Args:
        query: (..., T, Dk).
        key: (..., S, Dk).
        value: (..., S, Dv).
        mask: boolean, True = may attend, broadcastable to (..., T, S).

    Returns:
        ``(output, weights)`` of shapes (..., T, Dv) and (..., T, S).
    """
    num_queries, num_keys = query.size(-2), key.size(-2)
    blocked = None
    if mask is not None:
        blocked = mask.expand(*query.shape[:-2], num_queries, num_keys).transpose(-2, -1)  # (..., S, T)
    # torch's own function, its weights made visible by values that are an identity, and the roles exchanged
    identity = torch.eye(num_queries, dtype=query.dtype).expand(
        *key.shape[:-2], num_queries, num_queries
    )  # (..., T, T)
    weights = F.scaled_dot_product_attention(key, query, identity, blocked).transpose(-2, -1)  # (..., T, S)
    output = weights @ value  # (..., T, Dv)
    return output, weights
