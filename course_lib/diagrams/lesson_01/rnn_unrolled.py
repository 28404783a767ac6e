"""A recurrent network, one step for each word, with the states that lesson 01 computes on paper."""

from __future__ import annotations

from course_lib.diagrams.canvas import SMALL, Canvas, Kind
from course_lib.diagrams.lesson_01.numbers import BOOK, STATES, WORDS, X

STEP, FIRST = 116.0, 64.0
WIDE, NARROW, ROW = 72.0, 44.0, 34.0


def draw() -> Canvas:
    """Draw five words below, five states above, and the same weights on every arrow."""
    canvas = Canvas(
        386,
        "A recurrent network reads five words",
        "Five columns, one for each word of “the red book is old”, read from left to right. At the bottom of each the "
        "word's vector of two features, noun and adjective. An arrow marked W ih leads up to the state, an arrow "
        "marked W hh leads from each state to the next. "
        + " ".join(f"After {word} the state is {_n(a)}, {_n(b)}." for word, (a, b) in zip(WORDS, STATES, strict=True)),
    )
    canvas.text(16, 24, "The same weights at every step", anchor="start", look="strong")
    canvas.text(16, 58, "states hₜ: (B, D), here (1, 2)", SMALL, "start", "soft")
    for t, word in enumerate(WORDS):
        x = FIRST + t * STEP
        for entry in range(2):
            kind: Kind = "point" if t >= BOOK and entry == 0 else "plain"
            canvas.cells(x - WIDE / 2, 110 + entry * ROW, [[_n(STATES[t, entry])]], WIDE, ROW, kind=kind)
        if t:
            canvas.arrow((x - STEP + WIDE / 2 + 2, 144), (x - WIDE / 2 - 2, 144))
            canvas.text(x - STEP / 2, 92, "Wₕₕ", SMALL, look="soft")
        canvas.arrow((x, 244), (x, 182), label="Wᵢₕ", side=8)
        canvas.cells(x - NARROW / 2, 246, [[_n(number)] for number in X[t]], NARROW, ROW)
        canvas.text(x, 334, f"*{word}*", look="strong" if t == BOOK else "")
    canvas.text(16, 368, "word vectors xₜ: (B, E), here (1, 2): noun, adjective", SMALL, "start", "soft")
    return canvas


def _n(number: float) -> str:
    """Write three decimals, or none if the number is 0 or 1."""
    return f"{number:.0f}" if number == round(number) else f"{number:.3f}"
