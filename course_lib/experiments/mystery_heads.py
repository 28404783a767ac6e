"""A multi-head attention with one mistake. Lesson 04 asks which: answer there before you read on here."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


def mystery_of(attention: type[nn.Module]) -> type[nn.Module]:
    """The same class with one line gone wrong: it trains.

    Args:
        attention: a right ``MultiHeadAttention``, yours for instance. Its ``num_heads`` and its
            last layer ``w_o`` are used.
    """

    class MysteryMultiHeadAttention(attention):  # type: ignore[misc, valid-type]
        """Multi-head attention, but for one line."""

        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **named)
            self.w_o.register_forward_pre_hook(lambda _, given: _disturbed(given[0], self.num_heads))

    return MysteryMultiHeadAttention


def _disturbed(x: Tensor, num_heads: int) -> Tensor:
    """What goes into the last layer instead of ``x`` (B, T, D): the same numbers, in places worked out one by one."""
    _, length, width = x.shape
    part = width // num_heads
    number = torch.arange(length * width)  # (T * D,)
    source = number // part % length * width + number // (part * length) * part + number % part  # (T * D,)
    return x.flatten(1)[:, source].view_as(x)  # (B, T, D)
