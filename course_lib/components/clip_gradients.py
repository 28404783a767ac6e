"""Clipping gradients by their norm: no step is longer than it may be, and each points where it did."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn


def clip_gradients(parameters: Iterable[nn.Parameter], max_norm: float) -> Tensor:
    """Scale all gradients by one factor, so that together they are no longer than ``max_norm``.

    The norm is one for all: the L2 norm of the vector that all gradients make up together. Gradients that are
    shorter stay as they are. As PyTorch does, the factor is ``max_norm / (norm + 1e-6)``.

    Args:
        parameters: whose ``grad`` is changed in place; those without one are passed over, at least one has one.
            It may be a generator, such as ``model.parameters()``: it can be gone through once.
        max_norm: the greatest norm allowed.

    Returns:
        The norm *before* clipping, a scalar.

    Source: Pascanu et al. 2013, algorithm 1. CS 4644/7643 lecture 13 shows what it is good for, and not the remedy
    ("Vanilla RNN Gradient Flow").
    """
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    norm = torch.sqrt(torch.stack([gradient.square().sum() for gradient in gradients]).sum())  # ()
    factor = (max_norm / (norm + 1e-6)).clamp(max=1.0)  # ()
    for gradient in gradients:
        gradient.mul_(factor)
    return norm
