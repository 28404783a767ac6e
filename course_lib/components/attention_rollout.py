"""Trace the information at a position back through several layers.

Heads are averaged, half of each token goes past attention on the residual path, and layers are multiplied, the last
on the *left*: where it looked is looked up in what was there.
"""

import torch
from torch import Tensor


def attention_rollout(weights: Tensor) -> Tensor:
    """Follow the weights of all layers down to the words.

    In each layer, half of what is at a position is what was there before (the residual connection), and half is what
    the heads bring, which count alike.

    Args:
        weights: (L, H, T, T), from the first layer to the last; each row sums to 1.

    Returns:
        (T, T): row t has the shares of the words in what is at position t after the last layer. Each row sums to 1.

    Source: Abnar & Zuidema 2020, section 3.
    """
    size = weights.size(-1)
    came_from = torch.eye(size, dtype=weights.dtype)  # (T, T): before the first layer, each position is its own word
    for layer in weights.mean(dim=1):  # (T, T)
        came_from = (layer + torch.eye(size, dtype=weights.dtype)) / 2 @ came_from
    return came_from
