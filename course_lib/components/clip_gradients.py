"""Clipping gradients by their norm: a gradient that is too long is shortened, and keeps its direction.

All gradients share *one* norm, so their common direction stays. The factor is clamped at 1, which leaves short
gradients alone without an `if`, and `mul_` changes them in place.
"""

from collections.abc import Iterable

import torch
from torch import Tensor, nn


def clip_gradients(parameters: Iterable[nn.Parameter], max_norm: float) -> Tensor:
    """Scale all gradients by one factor, so that their norm is at most ``max_norm``.

    There is one norm for all of them: the L2 norm of the vector that all gradients make up together. If it is not
    above ``max_norm``, nothing changes. As in PyTorch, 1e-6 is added to the norm before dividing by it.

    Args:
        parameters: their ``grad`` is changed in place. Those without a gradient are skipped; at least one has one.
            It may be a generator, such as ``model.parameters()``, which can be iterated over only once.
        max_norm: the largest norm allowed.

    Returns:
        The norm *before* clipping, a scalar.

    Source: Pascanu et al. 2013, arXiv:1211.5063, algorithm 1.
    """
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    norm = torch.sqrt(torch.stack([gradient.square().sum() for gradient in gradients]).sum())  # ()
    factor = (max_norm / (norm + 1e-6)).clamp(max=1.0)  # ()
    for gradient in gradients:
        gradient.mul_(factor)
    return norm
