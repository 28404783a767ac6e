"""Stand-ins for components of lessons that still accepted work when the library was released.

Such a release contains no reference of these components, because it would give the answers away to students who are
still writing them. It has stand-ins that can be imported, and `course_lib.own_parts` exchanges each for the student's
own part.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

Kind = Literal["function", "class", "layer"]

#: lists the stand-ins of a release
FILE = Path(__file__).with_suffix(".json")

#: the components for which this library has only a stand-in, each with the lesson in which it is written
STAND_INS: Mapping[str, str] = json.loads(FILE.read_text(encoding="utf-8")) if FILE.is_file() else {}


class MissingPartError(Exception):
    """A component is used that the release withholds, and no part of the student's own has taken its place."""


def stand_in(symbol: str, kind: Kind) -> Any:
    """Return a function or class that can be imported, and that only says where the right one is written.

    Args:
        kind: ``"layer"`` for a class that is a module of PyTorch.
    """

    def missing(*arguments: Any, **named: Any) -> Any:
        raise MissingPartError(
            f"{symbol} is yours to write, in {STAND_INS[symbol]}: this release has none of ours while that lesson "
            "accepts work. Finish it there, save, and run this notebook from its top."
        )

    missing.__name__ = missing.__qualname__ = symbol
    if kind == "function":
        return missing
    base: type = object
    if kind == "layer":
        from torch import nn  # imported here, because commands read `STAND_INS` without PyTorch

        base = nn.Module
    constructor: Callable[..., None] = missing
    return type(symbol, (base,), {"__init__": constructor, "__module__": __name__})
