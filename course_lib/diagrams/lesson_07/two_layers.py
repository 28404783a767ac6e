"""Who can influence whom through two layers: with the causal mask, and with a mask one diagonal too far."""

from __future__ import annotations

from course_lib.diagrams.canvas import SMALL, Canvas, Kind
from course_lib.diagrams.lesson_07.numbers import WORDS, T

LEFT, STEP, WIDE, TALL, GAP = 160.0, 88.0, 64.0, 34.0, 56.0
LEAK = (2, 1, 0)  #: the positions of a token's way to the left, one layer after the other


def draw() -> Canvas:
    """Draw two panels, each with three rows of positions; information flows upwards."""
    canvas = Canvas(
        592,
        "Through two layers, a causal mask stays causal and a leak of one grows to two",
        "Two panels of three rows, from bottom to top: the tokens "
        f"{', '.join(WORDS)}, the five positions after layer 1, and after layer 2. Above, the causal mask: every arrow "
        f"goes straight up or to the right. Below, a mask with j ≤ i + 1: there are also arrows one step to the left, "
        f"and a marked path leads from {WORDS[LEAK[0]]} to the position of {WORDS[LEAK[1]]} after layer 1 and to the "
        f"position of {WORDS[LEAK[2]]} after layer 2.",
    )
    _panel(canvas, 22, "Causal, j ≤ i: no arrow to the left", ahead=0)
    _panel(canvas, 318, "One too far, j ≤ i + 1: left, left again", ahead=1)
    return canvas


def _panel(canvas: Canvas, top: float, name: str, ahead: int) -> None:
    canvas.text(16, top, name, anchor="start", look="strong")
    rows = [top + 24 + (TALL + GAP) * level for level in (2, 1, 0)]  # of tokens, layer 1, layer 2
    for level, y in enumerate(rows):
        canvas.text(16, y + TALL / 2, ("tokens", "after layer 1", "after layer 2")[level], SMALL, "start", "soft")
        for place, word in enumerate(WORDS):
            leaked = bool(ahead) and place == LEAK[level]
            kind: Kind = "point" if leaked else "plain"
            canvas.box(LEFT + place * STEP, y, WIDE, TALL, f"*{word}*" if not level else "", kind=kind, size=SMALL)
    for level in (0, 1):
        for j in range(T):
            for i in range(max(0, j - ahead), T):
                leaking = bool(ahead) and (j, i) == (LEAK[level], LEAK[level + 1])
                if not leaking:
                    _arrow(canvas, j, i, rows[level], rows[level + 1], "faint")
        if ahead:
            _arrow(canvas, LEAK[level], LEAK[level + 1], rows[level], rows[level + 1], "mark")


def _arrow(canvas: Canvas, j: int, i: int, below: float, above: float, look: str) -> None:
    middle = LEFT + WIDE / 2
    canvas.arrow((middle + j * STEP, below), (middle + i * STEP, above + TALL + 2), look=look)
