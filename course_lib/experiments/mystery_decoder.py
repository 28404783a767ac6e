"""A decoder with one mistake. Lesson 08 asks which: answer there before you read on here."""

from __future__ import annotations

from typing import Any

from torch import nn


def mystery_of(decoder: type[nn.Module]) -> type[nn.Module]:
    """The same class, made in another way: it trains.

    Args:
        decoder: a right ``Decoder``, yours for instance. Its ``layers`` are used.
    """

    class MysteryDecoder(decoder):  # type: ignore[misc, valid-type]
        """A decoder, but for a line of its constructor."""

        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **named)
            for number in range(1, len(self.layers)):
                self.layers[number] = self.layers[number - 1]

    return MysteryDecoder
