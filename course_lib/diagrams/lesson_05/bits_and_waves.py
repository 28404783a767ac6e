"""Bits jump and sinusoids turn: both count positions, from fast to slow."""

from __future__ import annotations

import math

from course_lib.diagrams.canvas import SMALL, Canvas
from course_lib.diagrams.clock_faces import turn_of

WIDTH_OF_ENCODING, POSITIONS = 16, 16
LEFT, STEP, HIGH = 96.0, 30.0, 30.0
NAMES = ("ones", "twos", "fours")


def draw() -> Canvas:
    """Draw three bits as square waves, and below them the sines of the first three pairs, over the same positions."""
    turns = [2 * math.pi / turn_of(pair, WIDTH_OF_ENCODING) for pair in range(3)]
    told = ", ".join(f"{turn:.1f}" for turn in turns)
    canvas = Canvas(
        440,
        "Bits jump, sinusoids turn",
        f"Positions 0 to {POSITIONS - 1} from left to right. Above, three bits: the ones change at every position, the "
        "twos at every second, the fours at every fourth, each jumping between 0 and 1. Below, the sines of the first "
        f"three pairs of a sinusoidal encoding of width {WIDTH_OF_ENCODING}: smooth waves between -1 and 1, "
        f"whose periods are {told} positions.",
    )
    canvas.text(12, 20, "Bits: they jump", anchor="start", look="strong")
    for bit, name in enumerate(NAMES):
        low = 78 + 52.0 * bit
        canvas.text(12, low - HIGH / 2, name, SMALL, "start")
        corners = []
        for t in range(POSITIONS):
            y = low - HIGH * (t // 2**bit % 2)
            corners += [(LEFT + t * STEP, y), (LEFT + (t + 1) * STEP, y)]
        canvas.arrow(*corners, (LEFT + POSITIONS * STEP + 14, corners[-1][1]))
    for t in range(0, POSITIONS, 2):
        canvas.text(LEFT + t * STEP + STEP / 2, 210, f"{t}", SMALL, look="soft")
    canvas.text(12, 210, "position", SMALL, "start", "soft")
    canvas.text(12, 248, f"Sines at width {WIDTH_OF_ENCODING}: no jumps", anchor="start", look="strong")
    for pair, turn in enumerate(turns):
        middle = 292 + 56.0 * pair
        canvas.text(12, middle - 11, f"pair {pair}", SMALL, "start")
        canvas.text(12, middle + 11, f"period {turn:.1f}", SMALL, "start", "soft")
        points = []
        for sample in range(6 * (POSITIONS - 1) + 1):
            along = sample / 6
            angle = along * turn_of(pair, WIDTH_OF_ENCODING)
            points.append((LEFT + STEP / 2 + along * STEP, middle - 21 * math.sin(angle)))
        canvas.arrow(*points, look="mark")
    return canvas
