"""Clock faces: one pair of a sinusoidal encoding is the hand of a clock."""

from __future__ import annotations

import math

from course_lib.diagrams.canvas import Canvas, Kind


def turn_of(pair: int, d_model: int) -> float:
    """Return the angle, in radians, by which the hand of a pair turns from one position to the next."""
    return float(10_000 ** (-2 * pair / d_model))


def face(canvas: Canvas, x: float, y: float, radius: float, kind: Kind = "plain") -> None:
    """Draw a clock without hands, centred at (x, y)."""
    canvas.box(x - radius, y - radius, 2 * radius, 2 * radius, kind=kind, corner=radius)


def hand(canvas: Canvas, x: float, y: float, length: float, angle: float, look: str = "") -> None:
    """Draw a hand that has turned clockwise by an angle from the top: the sine to the right, the cosine up."""
    canvas.arrow((x, y), (x + length * math.sin(angle), y - length * math.cos(angle)), look=look)


def sweep(canvas: Canvas, x: float, y: float, radius: float, first: float, last: float) -> None:
    """Draw the path of a hand from one angle to another, with a head at its end."""
    angles = [first + (last - first) * step / 16 for step in range(17)]
    canvas.arrow(*((x + radius * math.sin(angle), y - radius * math.cos(angle)) for angle in angles), look="mark")
