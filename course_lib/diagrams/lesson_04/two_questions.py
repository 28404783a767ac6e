"""One softmax and two: what *book* receives in two sentences with swapped adjectives."""

from __future__ import annotations

import numpy as np

from course_lib.diagrams.canvas import SMALL, Canvas, Kind
from course_lib.diagrams.lesson_04.numbers import BOTH, EXCHANGED, PASSES_ON, WHAT, WHICH, WORDS

LEFT, CELL, ROW = 16.0, 68.0, 40.0
OUT, ROOM, TALL = 408.0, 184.0, 36.0


def draw() -> Canvas:
    """Draw weights by position, with the words of one sentence above them and of the other below."""
    canvas = Canvas(
        476,
        "One softmax makes one mixture, two keep the answers apart",
        "Weights of book by position; above them stand the words of “the red book is old”, below them those of “the "
        f"old book is red”. One softmax, {_list(BOTH)}, brings back {_list(BOTH @ PASSES_ON)} (red, old) from both "
        f"sentences. Two softmaxes, {_list(WHICH)} for “which book?” and {_list(WHAT)} for “what about it?”, bring "
        f"back {_list(_found(WHICH, WHAT))} from the first sentence and "
        f"{_list(_found(WHICH, WHAT, exchanged=True))} from the second.",
    )
    canvas.text(LEFT, 22, "One softmax, one mixture", anchor="start", look="strong")
    _panel(canvas, 72, (BOTH,), ("",), "point")
    canvas.text(LEFT, 222, "Two softmaxes, two mixtures", anchor="start", look="strong")
    _panel(canvas, 298, (WHICH, WHAT), ("which book?", "what about it?"), "yours")
    return canvas


def _panel(canvas: Canvas, top: float, softmaxes: tuple[np.ndarray, ...], asks: tuple[str, ...], kind: Kind) -> None:
    """Draw a row of words, a row of weights for each softmax, and the words of the other sentence."""
    width = min(ROOM / (2 * len(softmaxes)), 60.0)
    bottom = top + 30 + len(softmaxes) * (ROW + 6) + 24
    for number, (weights, question) in enumerate(zip(softmaxes, asks, strict=True)):
        y = top + 30 + number * (ROW + 6)
        shades = [float(weight) for weight in weights]
        canvas.cells(LEFT, y, [[f"{weight:g}" for weight in weights]], CELL, ROW, shades=shades)
        canvas.text(LEFT + 5 * CELL + 14, y + ROW / 2, question, SMALL, "start", "soft")
        if question:
            canvas.text(OUT + (2 * number + 1) * width, top - 50, question.split()[0] + " …?", SMALL, look="soft")
    for j in range(2 * len(softmaxes)):
        canvas.text(OUT + (j + 0.5) * width, top - 28, ("*red*", "*old*")[j % 2], SMALL)
    for y, exchanged in ((top, False), (bottom, True)):
        words = [WORDS[j] for j in EXCHANGED] if exchanged else WORDS
        for j, word in enumerate(words):
            canvas.text(LEFT + (j + 0.5) * CELL, y, f"*{word}*", look="strong" if word in ("red", "old") else "")
        canvas.arrow((LEFT + 5 * CELL + 8, y), (OUT - 6, y))
        found = _found(*softmaxes, exchanged=exchanged)
        canvas.cells(OUT, y - TALL / 2, [[f"{number:g}" for number in found]], width, TALL, kind=kind)


def _found(*softmaxes: np.ndarray, exchanged: bool = False) -> np.ndarray:
    """Return the mixtures side by side."""
    passed_on = PASSES_ON[list(EXCHANGED)] if exchanged else PASSES_ON  # (S, Dv)
    return np.concatenate([weights @ passed_on for weights in softmaxes])


def _list(numbers: np.ndarray) -> str:
    return ", ".join(f"{number:g}" for number in numbers)
