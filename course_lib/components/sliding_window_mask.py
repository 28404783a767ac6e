"""The mask with which every token sees itself and the few before it.

One table of distances, two conditions on it. `back >= 0` is the causal mask, so a window as wide as the sentence *is*
the causal mask.
"""

import torch
from torch import Tensor


def sliding_window_mask(length: int, width: int) -> Tensor:
    """Which keys each query may attend to: its own position and the ``width - 1`` positions before it.

    Args:
        length: T, the number of tokens.
        width: how many tokens each one sees, itself included; at least 1.

    Returns:
        A boolean tensor (T, T), **True = may attend**: query t sees key s if ``t - width < s <= t``.

    Raises:
        ValueError: ``width`` is less than 1.

    Source: Beltagy et al. 2020, section 3.1; Jiang et al. 2023, section 2.
    """
    if width < 1:
        raise ValueError(f"a window of {width} tokens would leave every query without a key")
    back = torch.arange(length).unsqueeze(1) - torch.arange(length)  # (T, T): how far each key lies before each query
    return (back >= 0) & (back < width)
