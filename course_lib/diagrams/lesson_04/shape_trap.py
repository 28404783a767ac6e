"""Two ways to the same shape: where the four numbers of *book* end up."""

from __future__ import annotations

import numpy as np

from course_lib.diagrams.canvas import SMALL, TEXT, Canvas, Kind
from course_lib.diagrams.lesson_04.numbers import BOOK, LABELS, ONLY_VIEWED, SPLIT, WORDS

LEFT, CELL, ROW = 20.0, 28.0, 36.0
GRID, TALL, TOP = 40.0, 32.0, 236.0


def draw() -> Canvas:
    """Draw the row of numbers in memory, split at once on the left, and inside each token on the right."""
    canvas = Canvas(
        464,
        "Cut at once, a tensor mixes its tokens; cut inside each token, it does not",
        f"At the top the 20 numbers in the order of memory, four for each of {', '.join(WORDS)}; those of book, "
        f"{_list(LABELS[BOOK])}, are marked. Left, view alone: head 0 has the rows {_rows(ONLY_VIEWED[0])}, head 1 "
        f"{_rows(ONLY_VIEWED[1])}, and book is in the last row of head 0 and the first row of head 1. Right, view and "
        f"transpose: head 0 has the rows {_rows(SPLIT[0])}, head 1 {_rows(SPLIT[1])}, and book is in the third row of "
        "both.",
    )
    canvas.text(LEFT, 20, "In memory, one row:", anchor="start", look="strong")
    for number, label in enumerate(LABELS.flatten()):
        _cell(canvas, LEFT + number * CELL, 66, CELL, ROW, int(label), SMALL)
    for token, word in enumerate(WORDS):
        canvas.text(LEFT + (4 * token + 2) * CELL, 52, f"*{word}*", SMALL, look="strong" if token == BOOK else "")
    _side(canvas, 20, "view alone ✗", "(B, T, D) → (B, H, T, Dₕ)", ONLY_VIEWED)
    _side(canvas, 318, "view, then transpose ✓", "→ (B, T, H, Dₕ) → (B, H, T, Dₕ)", SPLIT)
    canvas.text(300, 442, "Each row is named after the word that it should contain.", SMALL, look="soft")
    return canvas


def _side(canvas: Canvas, x: float, name: str, shapes: str, heads: np.ndarray) -> None:
    middle = x + 134
    canvas.arrow((middle, 106), (middle, 138))
    canvas.text(middle, 156, name, look="strong")
    canvas.text(middle, 182, shapes, 16.6, look="soft")
    for row, word in enumerate(WORDS):
        canvas.text(x + 48, TOP + (row + 0.5) * TALL, f"*{word}*", SMALL, "end")
    for number, head in enumerate(heads):
        left = x + 60 + number * (2 * GRID + 28)
        canvas.text(left + GRID, TOP - 20, f"head {number}", SMALL)
        for (row, column), label in np.ndenumerate(head):
            _cell(canvas, left + column * GRID, TOP + row * TALL, GRID, TALL, int(label))


def _cell(canvas: Canvas, x: float, y: float, width: float, height: float, label: int, size: float = TEXT) -> None:
    kind: Kind = "point" if label // 10 == BOOK else "plain"
    canvas.box(x, y, width, height, f"{label:02d}", kind=kind, size=size, corner=0)


def _rows(head: np.ndarray) -> str:
    return "; ".join(_list(row) for row in head)


def _list(labels: np.ndarray) -> str:
    return " ".join(f"{label:02d}" for label in labels)
