"""One row of attention with all its numbers: *its* asks, five words answer."""

from __future__ import annotations

import numpy as np

from course_lib.diagrams.canvas import SMALL, Canvas
from course_lib.diagrams.lesson_03.numbers import DOG, ITS, KEYS, QUERIES, VALUES, WORDS

LEFT, CELL, ROW = 112.0, 78.0, 36.0
RIGHT = LEFT + 5 * CELL


def draw() -> Canvas:
    """Draw the way from the query of *its* to its output, one column per word."""
    query = QUERIES[ITS]  # (Dk,)
    scores = KEYS @ query  # (S,)
    scaled = scores / np.sqrt(len(query))  # (S,)
    weights = np.exp(scaled) / np.exp(scaled).sum()  # (S,)
    output = weights @ VALUES  # (Dv,)

    listed = ", ".join(f"{word} {weight:.2f}" for word, weight in zip(WORDS, weights, strict=True))
    canvas = Canvas(
        804,
        "One row of attention: its looks for its owner",
        f"Read from top to bottom, one column for each word of “{' '.join(WORDS)}”. The query of its is "
        f"{_list(query)}. Its dot product with each key gives the scores {_list(scores)}; divided by the square root "
        f"of 4 they are {_list(scaled)}; softmax turns them into the weights {listed}. The weighted sum of the values, "
        f"{output[0]:.2f} alive and {output[1]:.2f} moves, is the output for its.",
    )
    middle = LEFT + 2.5 * CELL

    canvas.text(12, 38, "query", anchor="start", look="strong")
    canvas.cells(LEFT + 0.5 * CELL, 20, [_whole(query)], CELL, ROW, kind="yours")
    canvas.text(RIGHT + 12, 38, "(1, 4)", SMALL, "start", "soft")
    canvas.text(12, 60, "of *its*", SMALL, "start", "soft")
    canvas.arrow((middle, 58), (middle, 92), label="times every key")

    for j, word in enumerate(WORDS):
        canvas.text(LEFT + (j + 0.5) * CELL, 111, f"*{word}*", look="strong" if j == DOG else "")
    canvas.text(12, 202, "keys", anchor="start", look="strong")
    canvas.text(12, 224, "one each", SMALL, "start", "soft")
    canvas.cells(LEFT, 128, [_whole(row) for row in KEYS.T], CELL, ROW, DOG)
    canvas.text(RIGHT + 12, 200, "Kᵀ (4, 5)", SMALL, "start", "soft")
    canvas.arrow((middle, 274), (middle, 308))

    canvas.text(12, 328, "scores", anchor="start", look="strong")
    canvas.cells(LEFT, 310, [_whole(scores)], CELL, ROW, DOG)
    canvas.text(RIGHT + 12, 328, "(1, 5)", SMALL, "start", "soft")
    canvas.arrow((middle, 348), (middle, 388), label="divide by √4")

    canvas.text(12, 408, "scaled", anchor="start", look="strong")
    canvas.cells(LEFT, 390, [_whole(scaled)], CELL, ROW, DOG)
    canvas.text(RIGHT + 12, 408, "(1, 5)", SMALL, "start", "soft")
    canvas.arrow((middle, 428), (middle, 468), label="softmax")

    canvas.text(12, 498, "weights", anchor="start", look="strong")
    canvas.cells(
        LEFT, 470, [[f"{weight:.2f}" for weight in weights]], CELL, 56, shades=[float(weight) for weight in weights]
    )
    canvas.text(12, 520, "sum to 1", SMALL, "start", "soft")
    canvas.text(RIGHT + 12, 498, "(1, 5)", SMALL, "start", "soft")
    canvas.arrow((middle, 528), (middle, 568), label="times every value")

    for j, word in enumerate(WORDS):
        canvas.text(LEFT + (j + 0.5) * CELL, 587, f"*{word}*", look="strong" if j == DOG else "")
    canvas.text(12, 622, "alive", anchor="start")
    canvas.text(12, 658, "moves", anchor="start")
    canvas.cells(LEFT, 604, [_whole(row) for row in VALUES.T], CELL, ROW, DOG)
    canvas.text(RIGHT + 12, 640, "Vᵀ (2, 5)", SMALL, "start", "soft")
    canvas.arrow((middle, 678), (middle, 718), label="add up")

    canvas.text(12, 756, "output", anchor="start", look="strong")
    canvas.text(12, 778, "for *its*", SMALL, "start", "soft")
    canvas.text(LEFT + CELL * 2, 735, "alive", SMALL, look="soft")
    canvas.text(LEFT + CELL * 3, 735, "moves", SMALL, look="soft")
    canvas.cells(LEFT + 1.5 * CELL, 748, [[f"{number:.2f}" for number in output]], CELL, ROW, kind="yours")
    canvas.text(RIGHT + 12, 766, "(1, 2)", SMALL, "start", "soft")
    return canvas


def _whole(numbers: np.ndarray) -> list[str]:
    return [f"{number:g}" for number in numbers]


def _list(numbers: np.ndarray) -> str:
    return ", ".join(_whole(numbers))
