"""One block with three masks: an encoder, a decoder, and both."""

from __future__ import annotations

import numpy as np

from course_lib.diagrams.canvas import SMALL, Canvas

WORDS = ("the", "red", "book", "is", "old")
PREFIX = 3
CELL = 32.0
COUNT = len(WORDS)
EARLIER = np.tri(COUNT, dtype=bool)  # (T, T)
READ_FIRST = np.arange(COUNT) < PREFIX  # (T,)
FAMILIES = (
    ("encoder", "BERT", "fills gaps", np.ones_like(EARLIER)),
    ("decoder", "GPT", "says what comes next", EARLIER),
    ("prefix", "as translators do", "reads, then writes", EARLIER | READ_FIRST),
)


def draw() -> Canvas:
    """Draw three grids of words by words, side by side, and what each is trained for."""
    canvas = Canvas(
        350,
        "One block, three masks",
        f"Three grids, {COUNT} by {COUNT} cells: a row is a word that looks, a column a word that it may look at. "
        "Encoder, as in BERT: every cell is open; it fills gaps. Decoder, as in GPT: open on the diagonal and to the "
        f"left of it; it says what comes next. Prefix: the first {PREFIX} columns are open for everyone, the rest as "
        "in the decoder; it reads, then writes, as translators do.",
    )
    for number, (name, known, task, may) in enumerate(FAMILIES):
        left = 20 + number * 200
        middle = left + COUNT * CELL / 2
        canvas.text(middle, 26, name, look="strong")
        for i, row in enumerate(may):
            for j, open_ in enumerate(row):
                canvas.cells(
                    left + j * CELL, 54 + i * CELL, [[" " if open_ else "×"]], CELL, CELL,
                    kind="yours" if open_ else "plain",
                )  # fmt: skip
        below = 54 + COUNT * CELL
        canvas.text(middle, below + 28, task, SMALL)
        canvas.text(middle, below + 56, known, SMALL, look="soft")
    canvas.text(300, 312, "A row is a word that looks, a column one that it may look at.", SMALL, look="soft")
    return canvas
