"""One row of attention in two chunks: what is carried from one to the next, as numbers."""

from __future__ import annotations

import numpy as np

from course_lib.diagrams.canvas import SMALL, Canvas

WORDS = ("the", "red", "book", "is")
EXPONENTIALS = np.array([2.0, 4.0, 8.0, 1.0])  # of the scores of the query *old*: ln 2, ln 4, ln 8, ln 1
VALUES = np.array([6.0, 3.0, 9.0, 12.0])
CHUNK = 2
LEFT, CELL = 150.0, 72.0


def carried() -> list[tuple[float, float, float, float]]:
    """Return, after each chunk: the maximum's exponential, the factor for earlier results, the total, the mixture."""
    steps, largest, total, mixture = [], 0.0, 0.0, 0.0
    for start in range(0, len(WORDS), CHUNK):
        part = slice(start, start + CHUNK)
        new = max(largest, EXPONENTIALS[part].max())
        shrink, weights = largest / new, EXPONENTIALS[part] / new
        largest = new
        total, mixture = total * shrink + weights.sum(), mixture * shrink + weights @ VALUES[part]
        steps.append((largest, shrink, float(total), float(mixture)))
    return steps


def draw() -> Canvas:
    """Draw four keys in two chunks, the three numbers after each, and the output."""
    first, second = carried()
    output = second[3] / second[2]
    canvas = Canvas(
        500,
        "One row of attention, in two chunks",
        f"The query old has four keys: the, red, book, is, with scores ln 2, ln 4, ln 8, ln 1 and values "
        f"{', '.join(f'{v:g}' for v in VALUES)}. The first chunk holds the and red. After it, the maximum is ln "
        f"{first[0]:g}, the total {first[2]:g}, the mixture {first[3]:g}. The second chunk holds book and is. Its "
        f"maximum, ln {second[0]:g}, is larger, so what was carried is multiplied by {second[1]:g}. After it, the "
        f"total is {second[2]:g} and the mixture {second[3]:g}. The output is mixture over total, {output:g}.",
    )
    for row, name in ((28, "key"), (72, "score"), (112, "value")):
        canvas.text(LEFT - 14, row, name, anchor="end", look="soft")
    for j, word in enumerate(WORDS):
        x = LEFT + j * CELL + (j // CHUNK) * 110
        canvas.text(x + CELL / 2, 28, f"*{word}*")
        canvas.box(
            x, 54, CELL, 38, f"ln {EXPONENTIALS[j]:g}", corner=0, kind="point" if EXPONENTIALS[j] in (4, 8) else "plain"
        )
        canvas.box(x, 94, CELL, 38, f"{VALUES[j]:g}", corner=0)
    for place, (step, x) in enumerate(zip((first, second), (LEFT, LEFT + 2 * CELL + 110), strict=True)):
        canvas.arrow((x + CELL, 138), (x + CELL, 196))
        canvas.text(x + CELL, 216, f"after chunk {place + 1}", SMALL, look="soft")
        for row, number in enumerate((f"ln {step[0]:g}", f"{step[2]:g}", f"{step[3]:g}")):
            canvas.box(x, 234 + row * 44, 2 * CELL, 42, number, corner=0, kind="point" if not row else "yours")
    for row, name in enumerate(("maximum", "total", "mixture")):
        canvas.text(LEFT - 14, 255 + row * 44, name, anchor="end", look="soft")
    for row in (1, 2):
        start, end = LEFT + 2 * CELL + 2, LEFT + 2 * CELL + 106
        canvas.arrow((start, 255 + row * 44), (end, 255 + row * 44), look="mark")
    canvas.text(LEFT + 2 * CELL + 54, 322 - 3, f"× {_half(second[1])}", look="strong")
    x = LEFT + 2 * CELL + 110
    canvas.arrow((x + CELL, 368), (x + CELL, 416))
    canvas.box(x - 40, 420, 2 * CELL + 80, 42, f"{second[3]:g} / {second[2]:g} = {output:g}", kind="yours")
    canvas.text(x - 54, 441, "output", anchor="end", look="soft")
    canvas.text(300, 484, "The whole row at once gives the same", SMALL, look="soft")
    return canvas


def _half(number: float) -> str:
    return {0.5: "½"}.get(number, f"{number:g}")
