"""A rotary attention with one mistake. Lesson 13 asks which: answer there before you read on here."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


def mystery_of(attention: type[nn.Module]) -> type[nn.Module]:
    """The same class with one line too many: it trains.

    Args:
        attention: a right ``RotaryAttention``, yours for instance. Its ``num_heads`` and its layer ``w_v`` are used.
    """

    class MysteryRotaryAttention(attention):  # type: ignore[misc, valid-type]
        """Rotary attention, and one line more."""

        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **named)
            self.w_v.register_forward_hook(lambda _, given, values: _disturbed(values, self.num_heads))

    return MysteryRotaryAttention


def _disturbed(x: Tensor, num_heads: int) -> Tensor:
    """What goes on from here instead of ``x`` (B, T, D): pairs of features as points in the plane, each moved."""
    pairs = torch.view_as_complex(x.reshape(*x.shape[:2], num_heads, -1, 2).contiguous())  # (B, T, H, Dh / 2)
    exponents = torch.arange(pairs.size(-1), dtype=x.dtype) / pairs.size(-1)  # (Dh / 2,)
    angles = torch.arange(x.size(1))[:, None, None] * 10_000.0**-exponents  # (T, 1, Dh / 2)
    turned = pairs * torch.polar(torch.ones_like(angles), angles)  # (B, T, H, Dh / 2)
    return torch.view_as_real(turned).flatten(2)  # (B, T, D)
