"""A positional encoding with one mistake. Lesson 05 asks which one: answer there before you read on here."""

import math

import torch
from torch import Tensor


def mystery_encoding(length: int, d_model: int) -> Tensor:
    """Trains, and is wrong.

    Args:
        length: T, the number of positions.
        d_model: D, the width.

    Returns:
        (T, D), of torch's default dtype.
    """
    # each dimension is a wheel that turns on by its own step; a sine is a cosine a quarter turn late
    steps = torch.logspace(0, -4, d_model + 1)[:-1]  # (D,): the angle from one position to the next
    late = torch.tensor([math.pi / 2, 0.0]).repeat(d_model)[:d_model]  # (D,)
    angles = torch.arange(length).unsqueeze(1) * steps - late  # (T, D)
    return torch.cos(angles)  # (T, D)
