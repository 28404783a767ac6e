"""One position further: the same block turns a pair, from any position."""

from __future__ import annotations

import math

import numpy as np

from course_lib.diagrams.canvas import SMALL, Canvas
from course_lib.diagrams.clock_faces import face, hand, sweep, turn_of

D_MODEL, START = 4, 2
CELL, ROW, LEFT = 70.0, 36.0, 158.0


def row_of(position: int) -> np.ndarray:
    """Return (D,): a sine and a cosine for each pair."""
    angles = [position * turn_of(pair, D_MODEL) for pair in range(D_MODEL // 2)]
    return np.array([wave(angle) for angle in angles for wave in (math.sin, math.cos)])


def one_step() -> np.ndarray:
    """Return (D, D): the matrix that maps each position to the next, one two-by-two block for each pair."""
    matrix = np.zeros((D_MODEL, D_MODEL))
    for pair in range(D_MODEL // 2):
        cosine, sine = math.cos(turn_of(pair, D_MODEL)), math.sin(turn_of(pair, D_MODEL))
        matrix[2 * pair : 2 * pair + 2, 2 * pair : 2 * pair + 2] = [[cosine, -sine], [sine, cosine]]
    return matrix


def draw() -> Canvas:
    """Draw a row, the matrix of two blocks, and the next row; below, two clocks that turn by the same angle."""
    before, after, matrix = row_of(START), row_of(START) @ one_step(), one_step()
    degrees = [math.degrees(turn_of(pair, D_MODEL)) for pair in range(D_MODEL // 2)]
    canvas = Canvas(
        568,
        "One position on: every pair turns by its own angle",
        f"The row of position {START}, {_list(before)}, times a matrix of four rows and columns is the row of position "
        f"{START + 1}, {_list(after)}. The matrix has two blocks on its diagonal, {_list(matrix[0, :2])} and "
        f"{_list(matrix[1, :2])} for pair 0, {_list(matrix[2, 2:])} and {_list(matrix[3, 2:])} for pair 1, and zeros "
        f"elsewhere. The first turns its pair by {degrees[0]:.0f} degrees, the second by {degrees[1]:.2f}. Below, two "
        f"clocks of pair 0: from position 0 to 1 and from position {START} to {START + 1} the hand turns by the same "
        f"{degrees[0]:.0f} degrees.",
    )
    middle = LEFT + 2 * CELL
    canvas.text(LEFT + CELL, 20, "pair 0", SMALL, look="soft")
    canvas.text(LEFT + 3 * CELL, 20, "pair 1", SMALL, look="soft")
    canvas.text(12, 54, f"p{'₀₁₂₃'[START]}", anchor="start", look="strong")
    canvas.text(LEFT + 4 * CELL + 12, 54, "(1, D)", SMALL, "start", "soft")
    canvas.cells(LEFT, 36, [_numbers(before)], CELL, ROW, kind="yours")
    canvas.arrow((middle, 76), (middle, 108), label="times")
    canvas.text(12, 184, "one step", anchor="start", look="strong")
    canvas.text(LEFT + 4 * CELL + 12, 184, "(D, D)", SMALL, "start", "soft")
    for i, row in enumerate(matrix):
        for j, number in enumerate(row):
            same_pair = i // 2 == j // 2
            said = f"{number:.2f}".replace("-", "−") if same_pair else "0"
            at = (LEFT + j * CELL, 112 + i * ROW)
            canvas.cells(*at, [[said]], CELL, ROW, kind="point" if same_pair else "plain")
    canvas.arrow((middle, 260), (middle, 292))
    canvas.text(12, 314, f"p{'₀₁₂₃'[START + 1]}", anchor="start", look="strong")
    canvas.text(LEFT + 4 * CELL + 12, 314, "(1, D)", SMALL, "start", "soft")
    canvas.cells(LEFT, 296, [_numbers(after)], CELL, ROW, kind="yours")

    canvas.text(12, 368, f"Pair 0 turns by {degrees[0]:.0f}°, wherever it stood:", anchor="start")
    for x, start in ((170.0, 0), (430.0, START)):
        y, radius = 464.0, 68.0
        first, last = start * turn_of(0, D_MODEL), (start + 1) * turn_of(0, D_MODEL)
        face(canvas, x, y, radius)
        hand(canvas, x, y, radius - 6, first, "faint")
        hand(canvas, x, y, radius - 6, last)
        sweep(canvas, x, y, 34, first, last)
        canvas.text(x, 552, f"position {start} to {start + 1}", SMALL, look="soft")
    return canvas


def _numbers(row: np.ndarray) -> list[str]:
    return [f"{number:.2f}".replace("-", "−") for number in row]


def _list(row: np.ndarray) -> str:
    return ", ".join(_numbers(row))
