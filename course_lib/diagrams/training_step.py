"""One training step, in its order."""

from __future__ import annotations

from course_lib.diagrams.canvas import SMALL, Canvas

FIRST = (("training mode", ""), ("shift", "inputs, labels"), ("model, loss", "logits (B, T, V)"))
SECOND = (("clear", "the old"), ("backward", "gradients"), ("clip", "the norm"), ("move", "weights"), ("set", "next rate"))
    ("clear", "old gradients"),
    ("backward", "new ones"),
    ("clip", "their norm"),
    ("move", "the weights"),
    ("next", "rate"),
)


def draw() -> Canvas:
    """Two rows of boxes; from the last, an arrow back to the first."""
    canvas = Canvas(
        290,
        "A training step, in its order",
        "Boxes in two rows. First row, forward: training mode; shift the target into inputs and labels; model and "
        "loss, with logits of shape B, T, V. Second row: clear the old gradients, backward, clip the norm, move the "
        "weights, set the next learning rate. From the last box an arrow leads back to the first: next batch.",
    )
    for number, (title, more) in enumerate(FIRST):
        x = 16 + number * 200
        canvas.box(x, 20, 168, 64, *filter(None, (title, more)), kind="point" if number == 2 else "plain")
        if number:
            canvas.arrow((x - 32, 52), (x - 2, 52))
    canvas.arrow((500, 84), (500, 116), (60, 116), (60, 146))
    for number, (title, more) in enumerate(SECOND):
        x = 8 + number * 119
        canvas.box(x, 150, 108, 64, title, more, size=SMALL)
        if number:
            canvas.arrow((x - 11, 182), (x - 1, 182))
    canvas.arrow((538, 214), (538, 250), (592, 250), (592, 8), (100, 8), (100, 18), look="faint")
    canvas.text(520, 262, "next batch", SMALL, "end", "soft")
    return canvas
