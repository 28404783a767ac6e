"""Training predicts at every position in one pass; writing needs one pass per word."""

from __future__ import annotations

from collections.abc import Container

from course_lib.diagrams.canvas import SMALL, Canvas, Kind
from course_lib.diagrams.lesson_07.numbers import WORDS

TOKENS = ("bos", *WORDS, "eos")
LEFT, CELL, ROW, SMALLER = 96.0, 70.0, 38.0, 34.0


def draw() -> Canvas:
    """Draw one pass with six answers above, and six passes with one answer each below."""
    reads, says = TOKENS[:-1], TOKENS[1:]
    canvas = Canvas(
        552,
        "Training: all positions in one pass. Writing: one pass for each word",
        f"Above, training: the model reads {' '.join(reads)} in one pass, from (B, T) ids to (B, T, V) scores, and is "
        f"asked at each position for the next token: {' '.join(says)}. Below, writing: "
        + "; ".join(f"pass {n} reads {' '.join(reads[:n])} and writes {says[n - 1]}" for n in range(1, len(reads) + 1))
        + ".",
    )
    canvas.text(16, 22, "Training: one pass, six answers", anchor="start", look="strong")
    canvas.text(16, 44 + ROW / 2, "reads", SMALL, "start", "soft")
    _row(canvas, 44, reads, ROW)
    for t in range(len(reads)):
        canvas.arrow((LEFT + (t + 0.5) * CELL, 84), (LEFT + (t + 0.5) * CELL, 106))
        canvas.arrow((LEFT + (t + 0.5) * CELL, 148), (LEFT + (t + 0.5) * CELL, 170))
    canvas.box(LEFT, 108, len(reads) * CELL, 40, "causal model: (B, T) → (B, T, V)", size=SMALL)
    canvas.text(16, 172 + ROW / 2, "label", SMALL, "start", "soft")
    _row(canvas, 172, says, ROW, answers=range(len(says)))
    canvas.text(16, 246, "Writing: six passes, one answer each", anchor="start", look="strong")
    for n in range(1, len(reads) + 1):
        top = 270 + (n - 1) * 44
        canvas.text(16, top + SMALLER / 2, f"pass {n}", SMALL, "start", "soft")
        _row(canvas, top, TOKENS[: n + 1], SMALLER, answers=(n,))
    return canvas


def _row(canvas: Canvas, top: float, tokens: tuple[str, ...], tall: float, answers: Container[int] = ()) -> None:
    """Draw tokens side by side; answers are marked."""
    for t, token in enumerate(tokens):
        said = token if token in ("bos", "eos") else f"*{token}*"
        kind: Kind = "point" if t in answers else "plain"
        canvas.box(LEFT + t * CELL, top, CELL, tall, said, kind=kind, size=SMALL, corner=0)
