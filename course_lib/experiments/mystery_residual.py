"""A residual sub-layer with one mistake. Lesson 06 asks which: answer there before you read on here."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor, nn


def mystery_of(residual: type[nn.Module]) -> type[nn.Module]:
    """The same class with one line gone wrong: it trains.

    Args:
        residual: a right ``ResidualSublayer``, yours for instance. Its ``norm`` and its ``norm_first`` are used.
    """

    class MysteryResidualSublayer(residual):  # type: ignore[misc, valid-type]
        """A residual sub-layer, but for one line."""

        def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
            """As in the class that it is made from, and then not quite."""
            output: Tensor = super().forward(x, sublayer)  # (B, T, D)
            return output + self.norm(x) - x if self.norm_first else output  # (B, T, D)

    return MysteryResidualSublayer
