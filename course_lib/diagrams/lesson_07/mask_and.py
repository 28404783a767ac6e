"""Padding and causal mask, combined by *and*, for two sentences: what broadcasting repeats."""

from __future__ import annotations

import numpy as np

from course_lib.diagrams.canvas import SMALL, Canvas, Kind
from course_lib.diagrams.lesson_07.numbers import CAUSAL, SHORT, WORDS, T, real

LEFT, CELL, ROW, SMALLEST = 12.0, 50.0, 40.0, 23.0
TRIANGLE, BOTH = 322.0, 472.0


def draw() -> Canvas:
    """Draw a row of five keys, a triangle, and what both allow, once for each sentence."""
    pairs = [int((real(words) & CAUSAL).sum()) for words in (WORDS, SHORT)]
    canvas = Canvas(
        362,
        "A key may be seen if it is real and no later than the query",
        f"Left, the padding mask (2, 1, 5): one row of keys for each of two sentences, {' '.join(WORDS)} with five "
        "words, and il est vieux with three words and two crossed out positions of padding. In the middle the causal "
        f"mask (5, 5), the same for both. Right, both joined, (2, 5, 5): the first keeps its {pairs[0]} pairs, "
        f"in the second the last two columns are crossed out as well and {pairs[1]} pairs stay.",
    )
    canvas.text(LEFT, 22, "padding (B, 1, T)", anchor="start", look="strong")
    canvas.text(TRIANGLE, 22, "causal (T, T)", SMALL, "start", "strong")
    canvas.text(BOTH, 22, "(B, T, T)", SMALL, "start", "strong")
    for number, words in enumerate((WORDS, SHORT)):
        top = 66.0 + 142 * number
        middle = top + T * SMALLEST / 2
        canvas.text(LEFT, middle - 40, f"sentence {number}", SMALL, "start", "soft")
        for j, word in enumerate(words):
            said, kind = (f"*{word}*", _kind(True)) if word else ("✗", _kind(False))
            canvas.box(LEFT + j * CELL, middle - ROW / 2, CELL, ROW, said, kind=kind, size=16.6, corner=0)
        canvas.text((LEFT + T * CELL + TRIANGLE) / 2, middle, "and", look="strong")
        canvas.text((TRIANGLE + T * SMALLEST + BOTH) / 2, middle, "=", look="strong")
        _grid(canvas, TRIANGLE, top, CAUSAL)
        _grid(canvas, BOTH, top, real(words) & CAUSAL)
    canvas.text(300, 344, "Rows are queries, columns are keys; ✗ may not be seen.", SMALL, look="soft")
    return canvas


def _grid(canvas: Canvas, left: float, top: float, mask: np.ndarray) -> None:
    for (i, j), sees in np.ndenumerate(mask):
        mark = () if sees else ("✗",)
        x, y = left + j * SMALLEST, top + i * SMALLEST
        canvas.box(x, y, SMALLEST, SMALLEST, *mark, kind=_kind(sees), size=16.6, corner=0)


def _kind(sees: bool) -> Kind:
    return "plain" if sees else "point"
