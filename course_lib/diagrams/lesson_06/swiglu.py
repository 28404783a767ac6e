"""The plain feed-forward network, and the one with a gate: two matrices next to three."""

from __future__ import annotations

from course_lib.diagrams.canvas import SMALL, Canvas

WIDE, HIGH = 144.0, 36.0
INPUT, OUTPUT, FIRST, NONLINEAR, LAST = 478.0, 58.0, 388.0, 292.0, 118.0  #: from the top


def draw() -> Canvas:
    """Draw both networks from bottom to top."""
    canvas = Canvas(
        500,
        "A feed-forward network without a gate and with one",
        "Two networks on a word x, read from bottom to top. On the left, the plain network: x of shape (B, T, D) goes "
        "through W1 to (B, T, F), through ReLU, and through W2 back to (B, T, D). On the right, SwiGLU: x goes into "
        "two branches. One goes through W gate to (B, T, F) and through SiLU, the other through W up to (B, T, F). The "
        "two are multiplied, number by number, and W down leads back to (B, T, D).",
    )
    plain, gate, up = 100.0, 316.0, 484.0
    middle, product = (gate + up) / 2, 206.0
    for centre, name in ((plain, "Plain"), (middle, "SwiGLU")):
        canvas.text(centre, 20, name, look="strong")
        canvas.text(centre + 14, OUTPUT - 8, "(B, T, D)", SMALL, "start", "soft")
        canvas.text(centre + 14, INPUT - 12, "x (B, T, D)", SMALL, "start")
        canvas.arrow((centre, LAST), (centre, OUTPUT - 20))
    for centre, name in ((plain, "times W₁"), (gate, "times W gate"), (up, "times W up")):
        canvas.box(centre - WIDE / 2, FIRST, WIDE, HIGH, name, size=SMALL)
        canvas.text(centre + 10, FIRST - 30, "(B, T, F)", SMALL, "start", "soft")
    for centre, name in ((plain, "times W₂"), (middle, "times W down")):
        canvas.box(centre - WIDE / 2, LAST, WIDE, HIGH, name, size=SMALL)
    for centre, name in ((plain, "ReLU"), (gate, "SiLU")):
        canvas.arrow((centre, FIRST), (centre, NONLINEAR + HIGH + 2))
        canvas.box(centre - WIDE / 2, NONLINEAR, WIDE, HIGH, name, size=SMALL, kind="point")
    canvas.arrow((plain, INPUT), (plain, FIRST + HIGH + 2))
    canvas.arrow((plain, NONLINEAR), (plain, LAST + HIGH + 2))
    canvas.arrow((middle, INPUT), (middle, INPUT - 30), (gate, INPUT - 30), (gate, FIRST + HIGH + 2))
    canvas.arrow((middle, INPUT), (middle, INPUT - 30), (up, INPUT - 30), (up, FIRST + HIGH + 2))
    canvas.arrow((gate, NONLINEAR), (gate, product), (middle - 17, product), look="mark")
    canvas.arrow((up, FIRST), (up, product), (middle + 17, product))
    canvas.box(middle - 15, product - 15, 30, 30, "⊙", corner=15)
    canvas.arrow((middle, product - 15), (middle, LAST + HIGH + 2))
    canvas.text(gate + 8, product - 18, "gate", SMALL, "start", "strong")
    return canvas
