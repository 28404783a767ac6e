"""One query looks up a weighted mean: three words of the red book, with all numbers."""

from __future__ import annotations

import numpy as np

from course_lib.diagrams.canvas import SMALL, Canvas

WORDS = ("the", "red", "book")
#: a state for each word; its entries mean "noun" and "colour"
STATES = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]])  # (S, D)
#: a decoder's state after *le*: it looks for a noun, and also for a colour
QUERY = np.array([2.0, 1.0])  # (D,)
LEFT, CELL, ROW = 190.0, 92.0, 36.0
RIGHT = LEFT + 3 * CELL + 14


def weights() -> np.ndarray:
    """Return α of the three words, (S,)."""
    exponentials = np.exp(STATES @ QUERY)
    return np.asarray(exponentials / exponentials.sum())


def draw() -> Canvas:
    """Draw the way from the decoder's state to the context, one column per word."""
    scores, alpha = STATES @ QUERY, weights()
    context = alpha @ STATES
    listed = ", ".join(f"{word} {weight:.3f}" for word, weight in zip(WORDS, alpha, strict=True))
    canvas = Canvas(
        530,
        "One look-up: a score, a weight and a weighted sum",
        f"Read from top to bottom. The keys have one column for each of the words {' '.join(WORDS)}. The query is the "
        "decoder's state (2, 1). Its dot products with the words' states (0, 0), (0, 1) and (1, 0) are the scores "
        f"{', '.join(f'{s:.0f}' for s in scores)}. Softmax makes the weights {listed} of them. The weighted sum of the "
        f"same states is the context ({context[0]:.3f}, {context[1]:.3f}).",
    )
    middle = LEFT + 1.5 * CELL
    canvas.text(12, 38, "query *s*", anchor="start", look="strong")
    canvas.cells(LEFT + CELL / 2, 20, [["2", "1"]], CELL, ROW, kind="yours")
    canvas.text(RIGHT, 38, "(D)", SMALL, "start", "soft")
    canvas.arrow((middle, 58), (middle, 90), label="times every key")
    for j, word in enumerate(WORDS):
        canvas.text(LEFT + (j + 0.5) * CELL, 108, f"*{word}*")
    canvas.text(12, 144, "noun", anchor="start")
    canvas.text(12, 180, "colour", anchor="start")
    canvas.cells(LEFT, 126, [[f"{x:.0f}" for x in row] for row in STATES.T], CELL, ROW)
    canvas.text(RIGHT, 162, "keys (D, S)", SMALL, "start", "soft")
    canvas.arrow((middle, 200), (middle, 232))
    canvas.text(12, 252, "scores *e*", anchor="start", look="strong")
    canvas.cells(LEFT, 234, [[f"{score:.0f}" for score in scores]], CELL, ROW)
    canvas.text(RIGHT, 252, "(S)", SMALL, "start", "soft")
    canvas.arrow((middle, 272), (middle, 308), label="softmax")
    canvas.text(12, 338, "weights *α*", anchor="start", look="strong")
    canvas.cells(LEFT, 310, [[f"{a:.3f}" for a in alpha]], CELL, 56, shades=[float(a) for a in alpha])
    canvas.text(RIGHT, 338, "(S)", SMALL, "start", "soft")
    canvas.arrow((middle, 368), (middle, 404), label="weighted sum of values")
    canvas.text(12, 424, "noun", anchor="start")
    canvas.text(12, 460, "colour", anchor="start")
    for i, value in enumerate(context):
        canvas.cells(middle - CELL / 2, 406 + i * ROW, [[f"{value:.3f}"]], CELL, ROW, kind="yours")
    canvas.text(RIGHT, 442, "context (D)", SMALL, "start", "soft")
    canvas.text(12, 508, "Here the values are the keys: the encoder's states.", SMALL, "start", "soft")
    return canvas
