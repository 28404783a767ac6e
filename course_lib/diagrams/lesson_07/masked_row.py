"""One masked row, from scores to weights, with its numbers."""

from __future__ import annotations

import numpy as np

from course_lib.diagrams.canvas import SMALL, Canvas
from course_lib.diagrams.lesson_07.numbers import ASKS, CAUSAL, SCORES, WORDS, row

LEFT, CELL, ROW = 136.0, 78.0, 40.0
TOPS = (66.0, 150.0, 234.0, 318.0)


def draw() -> Canvas:
    """Draw four rows of five numbers, one below the other."""
    masked, exponentials, weights = row(CAUSAL[ASKS])
    canvas = Canvas(
        392,
        f"A masked row: what {WORDS[ASKS]} may not see gets the weight 0",
        f"The query of {WORDS[ASKS]} scores {', '.join(WORDS)} with {_list(SCORES, 0)}. The mask puts minus infinity "
        f"for the words after it. The exponentials are {_list(exponentials, 3)}, with the sum "
        f"{exponentials.sum():.3f}, and the weights {_list(weights, 3)}.",
    )
    for j, word in enumerate(WORDS):
        canvas.text(LEFT + (j + 0.5) * CELL, 40, f"*{word}*", look="strong" if j == ASKS else "")
    steps = ((SCORES, 0, "scores", ""), (masked, 0, "masked", "mask"), (exponentials, 3, "exp", "exponential"),
             (weights, 3, "weights", f"divide by the sum, {exponentials.sum():.3f}"))  # fmt: skip
    for top, (numbers, decimals, name, step) in zip(TOPS, steps, strict=True):
        canvas.text(LEFT - 14, top + ROW / 2, name, anchor="end")
        for j, number in enumerate(numbers):
            hidden = name != "scores" and not CAUSAL[ASKS, j]
            said = _say(number, decimals)
            canvas.box(LEFT + j * CELL, top, CELL, ROW, said, kind="point" if hidden else "plain", corner=0)
        if step:
            canvas.arrow((LEFT + 0.5 * CELL, top - 38), (LEFT + 0.5 * CELL, top - 4), label=step)
    canvas.text(LEFT + 2.5 * CELL, 376, f"*{WORDS[ASKS]}* asks; what comes later doesn’t count", SMALL, look="soft")
    return canvas


def _say(number: float, decimals: int) -> str:
    if np.isneginf(number):
        return "−∞"
    return "0" if number == 0 else f"{number:.{decimals}f}"


def _list(numbers: np.ndarray, decimals: int) -> str:
    return ", ".join(_say(number, decimals) for number in numbers)
