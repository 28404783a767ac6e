"""The feed-forward network on five words: D to F to D, each word by itself."""

from __future__ import annotations

import numpy as np

from course_lib.diagrams.canvas import SMALL, Canvas
from course_lib.diagrams.lesson_06.numbers import BEFORE, BOOK, FEATURES, HIDDEN, OUTPUT, WORDS

LEFT, STEP, CELL, ROW = 96.0, 82.0, 50.0, 32.0
RIGHT = LEFT + 5 * STEP


def draw() -> Canvas:
    """Draw one column per word, from bottom to top: the same two matrices for all, no arrows between columns."""
    canvas = Canvas(
        640,
        "The feed-forward network: D to F to D, each word by itself",
        "Five columns, read from bottom to top. Into each goes a word's two features, noun and colour; W1 and b1 make "
        "three numbers, ReLU sets the negative ones to 0, and W2 makes two again. "
        + " ".join(_told(j) for j in (BOOK, 1, 0))
        + " All words go through the same two matrices, and no arrow leads from one column to another.",
    )
    rows = (
        (508, "x", "(T, D)", 2),
        (312, "before", "(T, F)", 3),
        (180, "after", "(T, F)", 3),
        (18, "output", "(T, D)", 2),
    )
    for y, name, shape, wide in rows:
        height = ROW * wide
        canvas.text(12, y + height / 2 - 11, name, SMALL, "start", "strong")
        canvas.text(12, y + height / 2 + 11, shape, SMALL, "start", "soft")
    for j, word in enumerate(WORDS):
        x = LEFT + j * STEP + STEP / 2
        canvas.text(x, 596, f"*{word}*", look="strong" if j == BOOK else "")
        _column(canvas, x, 508, FEATURES[j], j)
        canvas.arrow((x, 506), (x, 468), look="mark" if j == BOOK else "")
        canvas.arrow((x, 432), (x, 412), look="mark" if j == BOOK else "")
        _column(canvas, x, 312, BEFORE[j], j)
        canvas.arrow((x, 310), (x, 279), look="mark" if j == BOOK else "")
        _column(canvas, x, 180, HIDDEN[j], j)
        canvas.arrow((x, 178), (x, 154), look="mark" if j == BOOK else "")
        canvas.arrow((x, 118), (x, 85), look="mark" if j == BOOK else "")
        _column(canvas, x, 18, OUTPUT[j], j)
    canvas.box(LEFT, 432, RIGHT - LEFT, 34, "times W₁, plus b₁: the same for every word", size=SMALL)
    canvas.box(LEFT, 118, RIGHT - LEFT, 34, "times W₂, plus b₂: the same for every word", size=SMALL)
    canvas.text(RIGHT + 6, 294, "ReLU", SMALL, "start", "strong")
    for y, label in ((524, "noun"), (556, "colour"), (34, "reverse"), (66, "one only")):
        canvas.text(RIGHT + 6, y, label, SMALL, "start", "soft")
    canvas.text(LEFT, 624, "No arrow leads from one column to another.", SMALL, "start", "soft")
    return canvas


def _column(canvas: Canvas, middle: float, top: float, numbers: np.ndarray, word: int) -> None:
    canvas.cells(middle - CELL / 2, top, [[_n(number)] for number in numbers], CELL, ROW, 0 if word == BOOK else None)


def _told(word: int) -> str:
    steps = (FEATURES[word], BEFORE[word], HIDDEN[word], OUTPUT[word])
    passed = ", to ".join(f"({', '.join(_n(number) for number in step)})" for step in steps)
    return f"{WORDS[word].capitalize()} goes from {passed}."


def _n(number: float) -> str:
    return f"{number:g}".replace("-", "−")
