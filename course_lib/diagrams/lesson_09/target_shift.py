"""A decoder's inputs and labels: one French sentence, shifted by a position."""

from __future__ import annotations

from course_lib.diagrams.canvas import SMALL, Canvas

TARGET = ("bos", "le", "livre", "rouge", "est", "vieux", "eos")
WIDE, LEFT = 92.0, 24.0


def draw() -> Canvas:
    """Draw the inputs above, the labels below, and an arrow at each position between them."""
    canvas = Canvas(
        250,
        "The decoder reads all but the last token and is asked for all but the first",
        "Two rows of six cells. Above, what the decoder reads: bos, le, livre, rouge, est, vieux. Below each, what it "
        "is asked for: le, livre, rouge, est, vieux, eos. The label of a position is the input of the next one; an "
        "arrow marks this for livre.",
    )
    canvas.text(LEFT, 24, "reads: all but the last token, (B, T)", SMALL, "start", "soft")
    canvas.cells(LEFT, 44, [TARGET[:-1]], WIDE, 44, marked=2)
    canvas.cells(LEFT, 160, [TARGET[1:]], WIDE, 44, marked=1)
    for position in range(len(TARGET) - 1):
        x = LEFT + (position + 0.5) * WIDE
        canvas.arrow((x, 90), (x, 158), look="faint")
    canvas.arrow((LEFT + 1.8 * WIDE, 158), (LEFT + 2.2 * WIDE, 92), look="mark")
    canvas.text(LEFT, 226, "is asked for: all but the first, (B, T)", SMALL, "start", "soft")
    return canvas
