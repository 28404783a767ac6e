"""The mask that hides the future: a decoder may not read what it is about to write."""

import torch
from torch import Tensor


def causal_mask(length: int) -> Tensor:
    """Which keys each query may see: itself and those before it, ``j ≤ i``.

    Args:
        length: T, the number of tokens.

    Returns:
        Boolean, **True = may attend**, of shape (T, T): (query, key). Every query sees at least itself.

    Source: CSC401, "Masked self-attention" and assignment 2, row 12; CS224N lecture 8, "Masking the future in
    self-attention".
    """
    positions = torch.arange(length)  # (T,)
    return positions.unsqueeze(0) <= positions.unsqueeze(1)  # (T, T): key position ≤ query position
