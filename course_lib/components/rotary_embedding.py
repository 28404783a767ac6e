"""Rotary position embedding: a vector is turned by the angle of its position.

Neighbouring features are one pair, and each pair is turned by its own angle: the four products are a 2 × 2 rotation.
`stack` and `flatten` put the pairs back where they were.
"""

import torch
from torch import Tensor


def rotary_embedding(x: Tensor, positions: Tensor) -> Tensor:
    """Turn each pair of features by an angle that grows with the position.

    Features ``2i`` and ``2i + 1`` of a vector at position t are a point in the plane. It's turned by ``t /
    10000^(2i/D)``, counterclockwise: ``(a, b)`` becomes ``(a cos - b sin, a sin + b cos)``.

    Args:
        x: (..., T, D), queries or keys; D is even.
        positions: (T,), the position of each vector.

    Returns:
        (..., T, D), with the dtype of ``x``. No vector's norm changes.

    Source: Su et al. 2021, eq. 15 and 34; CSC401, "Rotary Position Embeddings"; COS 484 lecture 8.
    """
    width = x.size(-1)
    frequencies = 10_000.0 ** (-torch.arange(0, width, 2, dtype=x.dtype) / width)  # (D / 2,): one for each pair
    angles = positions.unsqueeze(-1) * frequencies  # (T, D / 2)
    cos, sin = torch.cos(angles), torch.sin(angles)  # (T, D / 2) each
    first, second = x[..., 0::2], x[..., 1::2]  # (..., T, D / 2) each
    turned = torch.stack([first * cos - second * sin, first * sin + second * cos], dim=-1)  # (..., T, D / 2, 2)
    return turned.flatten(-2)  # (..., T, D)
