"""The whole Transformer with its three masks, each where it acts, on the sentence of lesson 08."""

from __future__ import annotations

import numpy as np

from course_lib.diagrams.canvas import SMALL, Canvas
from course_lib.diagrams.lesson_08.numbers import IS_WORD, SOURCE, TARGET

LEFT, RIGHT, COLUMN = 16.0, 330.0, 254.0
CELL = 26.0
EARLIER = np.tri(len(TARGET), dtype=bool)  # (T, T)


def draw() -> Canvas:
    """Draw encoder and decoder; each mask is a grid of cells inside the attention that it acts on."""
    blocked = int((~IS_WORD).sum())
    canvas = Canvas(
        826,
        "The Transformer, with its three masks where they act",
        "Read from bottom to top. Left: source ids, B by S; embedding plus position, B, S, D; N encoder layers; the "
        "memory, B, S, D. Right: target ids, B by T; embedding plus position, B, T, D; N decoder layers; the table of "
        "the target's embedding once more, and logits, B, T, V. Mask 1 acts in the encoder's self-attention: one row "
        f"of {len(SOURCE)} cells for all queries; the last {blocked}, the padding, are blocked. Mask 2 acts "
        f"in the decoder's self-attention: {len(TARGET)} by {len(TARGET)} cells; those above the diagonal, "
        "the future, are blocked. Mask 3 acts in cross-attention, and is mask 1 once more.",
    )
    encoder, decoder = LEFT + COLUMN / 2, RIGHT + COLUMN / 2
    for x, middle, ids, words in (
        (LEFT, encoder, "source ids  (B, S)", " ".join(SOURCE)),
        (RIGHT, decoder, "target ids  (B, T)", " ".join(TARGET)),
    ):
        canvas.text(middle, 810, f"*{words}*", SMALL)
        canvas.text(middle, 786, ids, SMALL, look="soft")
        canvas.arrow((middle, 772), (middle, 748))
        canvas.box(x, 690, COLUMN, 54, "embed + position", "(B, S, D)" if x == LEFT else "(B, T, D)")
        canvas.arrow((middle, 688), (middle, 652))
    # the encoder
    canvas.frame(LEFT, 406, COLUMN, 258)
    canvas.text(LEFT + 14, 426, "Encoder layer × N", SMALL, "start", "soft")
    _attention(canvas, LEFT + 14, 540, 108, "Self-attention", "mask 1", [IS_WORD])
    canvas.arrow((encoder, 538), (encoder, 506))
    canvas.box(LEFT + 14, 448, COLUMN - 28, 54, "Feed-forward")
    canvas.arrow((encoder, 406), (encoder, 344))
    canvas.box(LEFT, 286, COLUMN, 54, "memory", "(B, S, D)", kind="point")
    # the decoder
    canvas.frame(RIGHT, 208, COLUMN, 456)
    canvas.text(RIGHT + 14, 228, "Decoder layer × N", SMALL, "start", "soft")
    _attention(canvas, RIGHT + 14, 510, 138, "Masked self-attention", "mask 2", list(EARLIER))
    canvas.arrow((decoder, 508), (decoder, 476))
    _attention(canvas, RIGHT + 14, 364, 108, "Cross-attention", "mask 3 = mask 1", [IS_WORD])
    canvas.arrow((decoder, 362), (decoder, 310))
    canvas.box(RIGHT + 14, 252, COLUMN - 28, 54, "Feed-forward")
    canvas.arrow((LEFT + COLUMN + 2, 313), (300, 313), (300, 418), (RIGHT + 12, 418), look="mark")
    canvas.arrow((decoder, 208), (decoder, 166))
    canvas.box(RIGHT, 108, COLUMN, 54, "times Eᵀ", "the target's table")
    canvas.arrow((decoder, 106), (decoder, 76))
    canvas.box(RIGHT, 18, COLUMN, 54, "logits", "(B, T, V)", kind="point")
    # the legend
    canvas.cells(LEFT, 30, [[" "]], CELL, CELL, kind="yours")
    canvas.text(LEFT + CELL + 12, 43, "may be seen", SMALL, "start")
    canvas.cells(LEFT, 70, [["×"]], CELL, CELL, kind="plain")
    canvas.text(LEFT + CELL + 12, 83, "blocked", SMALL, "start")
    canvas.text(LEFT, 124, "A row is a query, a column", SMALL, "start", "soft")
    canvas.text(LEFT, 146, "a key. A single row holds", SMALL, "start", "soft")
    canvas.text(LEFT, 168, "for all queries.", SMALL, "start", "soft")
    canvas.text(LEFT, 206, "Norms and residual", SMALL, "start", "soft")
    canvas.text(LEFT, 228, "connections are left out.", SMALL, "start", "soft")
    return canvas


def _attention(
    canvas: Canvas, x: float, y: float, height: float, name: str, mask: str, allowed: list[np.ndarray]
) -> None:
    """Draw a box with its name at the top, the mask's name at the left, and the mask's cells."""
    width = COLUMN - 28
    canvas.box(x, y, width, height)
    canvas.text(x + width / 2, y + 20, name)
    wide = len(allowed) == 1
    canvas.text(x + width / 2 if wide else x + 66, y + 46 if wide else y + 76, mask, SMALL, look="soft")
    left = x + (width - CELL * len(allowed[0])) / 2 if wide else x + 126
    top = y + 66 if wide else y + 44
    for i, row in enumerate(allowed):
        for j, may in enumerate(row):
            at = left + j * CELL, top + i * CELL
            canvas.cells(*at, [[" " if may else "×"]], CELL, CELL, kind="yours" if may else "plain")
