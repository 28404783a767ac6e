"""One training step, in its order."""

from __future__ import annotations

from course_lib.diagrams.canvas import SMALL, Canvas

FORWARD = (("training mode",), ("shift", "inputs, labels"), ("model, loss", "logits (B, T, V)"))
BACKWARD = (
    ("clear", "gradients"),
    ("backward", "new ones"),
    ("clip", "the norm"),
    ("move", "weights"),
    ("set", "next rate"),
)


def draw() -> Canvas:
    """Draw two rows of boxes, with an arrow from the last back to the first."""
    canvas = Canvas(
        270,
        "A training step, in its order",
        "Boxes in two rows. First row, forward: training mode; shift the target into inputs and labels; model and "
        "loss, with logits of shape B, T, V. Second row: clear the old gradients, backward, clip the norm, move the "
        "weights, set the next learning rate. From the last box an arrow leads back to the first: next batch.",
    )
    for number, lines in enumerate(FORWARD):
        x = 16 + number * 190
        canvas.box(x, 24, 164, 64, *lines, size=SMALL, kind="point" if number == 2 else "plain")
        if number:
            canvas.arrow((x - 26, 56), (x - 2, 56))
    canvas.arrow((478, 88), (478, 120), (62, 120), (62, 150))
    for number, lines in enumerate(BACKWARD):
        x = 16 + number * 112
        canvas.box(x, 152, 92, 64, *lines, size=SMALL)
        if number:
            canvas.arrow((x - 20, 184), (x - 2, 184))
    canvas.arrow((510, 216), (510, 244), (588, 244), (588, 10), (98, 10), (98, 22), look="faint")
    canvas.text(500, 246, "next batch", SMALL, "end", "soft")
    return canvas
