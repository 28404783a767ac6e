"""Lesson 06's arms: one colour, marker and dash each, the same in all of its figures."""

from __future__ import annotations

from typing import Any

from course_lib.figures.style import BLUE, DASHES, GREEN, GREY, MARKERS, ORANGE, PURPLE, RED, SKY

_COLOURS = {
    "pre-norm": BLUE,
    "post-norm": RED,
    "LayerNorm only": GREEN,
    "residual only": PURPLE,
    "nothing": GREY,
    "pre-norm, warm-up": SKY,
    "post-norm, warm-up": ORANGE,
    "the mystery": GREEN,
}
_PLACES = {"pre-norm": 0, "post-norm": 1, "LayerNorm only": 2, "residual only": 3, "nothing": 4,
           "pre-norm, warm-up": 4, "post-norm, warm-up": 5, "the mystery": 2}  # fmt: skip


def arm(name: str) -> dict[str, Any] | None:
    """Return the look of an arm's lines, as settings of ``Axes.plot``; None if it has no look of its own.

    Args:
        name: for instance ``"pre-norm"``, or ``"yours, pre-norm"`` for your own.
    """
    known = name.removeprefix("yours, ")
    if known not in _COLOURS:
        return None
    place = _PLACES[known]
    return {"color": _COLOURS[known], "marker": MARKERS[place], "linestyle": DASHES[place]}
