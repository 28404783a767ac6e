"""How far each key is from each query, clipped at two words, and the table of vectors that this indexes."""

from __future__ import annotations

import numpy as np

from course_lib.diagrams.canvas import SMALL, Canvas, Kind

WORDS, MAX_DISTANCE = ("the", "red", "book", "is", "old"), 2
LEFT, TOP, CELL, ROW = 150.0, 84.0, 80.0, 40.0


def distances() -> np.ndarray:
    """Return (T, T): key position minus query position, between -K and K."""
    positions = np.arange(len(WORDS))
    return (positions - positions[:, None]).clip(-MAX_DISTANCE, MAX_DISTANCE)


def draw() -> Canvas:
    """Draw a row for each query, a column for each key; below, a vector for each distance."""
    told = "; ".join(
        f"{word}: {', '.join(map(_signed, row))}" for word, row in zip(WORDS, distances().tolist(), strict=True)
    )
    canvas = Canvas(
        480,
        f"Distances of keys from queries, clipped at {MAX_DISTANCE}",
        f"A row for each query and a column for each key of “{' '.join(WORDS)}”. {told}. Each diagonal has one "
        f"number. A true distance greater than {MAX_DISTANCE} counts as {MAX_DISTANCE}, and is marked. "
        "Below, the table of keys with five rows: the distance −2 belongs to row 0, −1 to row 1, 0 to row 2, 1 to "
        "row 3 and 2 to row 4.",
    )
    canvas.text(LEFT + 2.5 * CELL, 20, "key", look="soft")
    canvas.text(LEFT - 12, TOP - 22, "query", anchor="end", look="soft")
    for j, word in enumerate(WORDS):
        canvas.text(LEFT + (j + 0.5) * CELL, TOP - 22, f"*{word}*")
    for i, (word, row) in enumerate(zip(WORDS, distances().tolist(), strict=True)):
        canvas.text(LEFT - 12, TOP + (i + 0.5) * ROW, f"*{word}*", anchor="end")
        for j, distance in enumerate(row):
            kind: Kind = "point" if abs(j - i) > MAX_DISTANCE else "yours" if not distance else "plain"
            place = (LEFT + j * CELL, TOP + i * ROW, CELL, ROW)
            canvas.box(*place, _signed(distance), kind=kind, corner=0)
    canvas.text(300, TOP + 5 * ROW + 26, f"marked: further away than {MAX_DISTANCE}, clipped", SMALL, look="soft")
    top = TOP + 5 * ROW + 84
    canvas.text(LEFT - 12, top - 22, "distance", SMALL, "end", "soft")
    canvas.text(LEFT - 12, top + 18, "key table", anchor="end")
    canvas.text(LEFT - 12, top + 50, "(2K + 1, Dk)", SMALL, "end", "soft")
    for row in range(2 * MAX_DISTANCE + 1):
        x = LEFT + (row + 0.5) * CELL
        canvas.text(x, top - 22, _signed(row - MAX_DISTANCE))
        canvas.box(x - CELL / 2 + 6, top, CELL - 12, 36, f"row {row}", kind="yours", size=SMALL)
    canvas.text(300, top + 88, "One vector for each distance, wherever the two words stand", SMALL, look="soft")
    return canvas


def _signed(number: int) -> str:
    return str(number).replace("-", "−")
