"""The mask that hides the future: a decoder may not read the tokens that it has to predict.

A row of positions is compared with a column of positions. The code says what it means, *key no later than query*, which
`torch.tril` leaves to the reader.
"""

import torch
from torch import Tensor


def causal_mask(length: int) -> Tensor:
    """Which keys each query may attend to: its own position and those before it, ``j ≤ i``.

    Args:
        length: T, the number of tokens.

    Returns:
        Boolean, **True = may attend**, of shape (T, T): rows are queries, columns are keys.

    Source: Vaswani et al. 2017, section 3.2.3.
    """
    positions = torch.arange(length)  # (T,)
    return positions.unsqueeze(0) <= positions.unsqueeze(1)  # (T, T): key position ≤ query position
