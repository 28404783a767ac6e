"""Stand-ins for components of lessons that still accepted work when the library was released: yours take their place.

Such a release holds no reference of these components, so that nobody reads the answer while others still write it. What
imports one gets its stand-in, and `course_lib.own_parts` exchanges that for the student's own part.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

Kind = Literal["function", "class", "layer"]

#: every component that this library has only a stand-in for, and the lesson in which it is written
STAND_INS: dict[str, str] = {}


class MissingPartError(Exception):
    """A component is used that the release withholds, and no part of the student's own has taken its place."""


def stand_in(symbol: str, lesson: str, kind: Kind) -> Any:
    """A function or class that can be imported and does nothing but say where the right one is written.

    Args:
        lesson: where the student writes it.
        kind: ``"layer"`` for a class that is a module of PyTorch.
    """
    STAND_INS[symbol] = lesson

    def missing(*arguments: Any, **named: Any) -> Any:
        raise MissingPartError(
            f"{symbol} is yours to write, in {lesson}: this release has none of ours while that lesson accepts work. "
            "Finish it there, save, and run this notebook from its top."
        )

    missing.__name__ = missing.__qualname__ = symbol
    if kind == "function":
        return missing
    base: type = object
    if kind == "layer":
        from torch import nn  # who only asks which there are need not wait for it

        base = nn.Module
    constructor: Callable[..., None] = missing
    return type(symbol, (base,), {"__init__": constructor, "__module__": __name__})
