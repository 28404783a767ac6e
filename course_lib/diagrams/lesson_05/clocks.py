"""Positions as clocks: four hands that turn at different speeds, at three positions."""

from __future__ import annotations

import math

from course_lib.diagrams.canvas import SMALL, Canvas
from course_lib.diagrams.clock_faces import face, hand, turn_of

D_MODEL, SHOWN = 8, (0, 1, 6)
LEFT, STEP, RADIUS = 180.0, 116.0, 42.0


def draw() -> Canvas:
    """Draw one row per position, one clock per pair."""
    degrees = [math.degrees(turn_of(pair, D_MODEL)) for pair in range(D_MODEL // 2)]
    told = "; ".join(
        f"at position {t} the hands have turned by {', '.join(f'{t * degree:.3g}' for degree in degrees)} degrees"
        for t in SHOWN
    )
    canvas = Canvas(
        418,
        f"Positions as clocks, for width {D_MODEL}",
        f"A row of four clocks for each of the positions {', '.join(map(str, SHOWN))}, one clock per pair. All hands "
        f"start at the top and turn clockwise: {told}.",
    )
    for pair, degree in enumerate(degrees):
        x = LEFT + pair * STEP
        canvas.text(x, 20, f"pair {pair}", look="strong")
        canvas.text(x, 44, f"{degree:.2g}°", SMALL, look="soft")
        for row, t in enumerate(SHOWN):
            y = 110 + 104.0 * row
            face(canvas, x, y, RADIUS, "yours" if pair == 0 else "plain")
            hand(canvas, x, y, RADIUS - 5, t * turn_of(pair, D_MODEL), "mark" if pair == 0 else "")
    canvas.text(12, 44, "angle per step", SMALL, "start", "soft")
    for row, t in enumerate(SHOWN):
        canvas.text(12, 110 + 104.0 * row, f"position {t}", anchor="start")
    canvas.text(12, 394, "Sine: how far to the right. Cosine: how far up.", SMALL, "start", "soft")
    return canvas
