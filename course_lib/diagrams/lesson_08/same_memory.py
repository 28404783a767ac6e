"""Two stacks: every decoder layer looks at the same memory, the encoder's last output."""

from __future__ import annotations

from course_lib.diagrams.canvas import SMALL, Canvas

LEFT, RIGHT, WIDTH = 16.0, 344.0, 240.0
LAYERS = 2


def draw() -> Canvas:
    """Draw two encoder layers at the left, two decoder layers at the right, one memory between them."""
    canvas = Canvas(
        432,
        "Every decoder layer looks at the same memory",
        "Read from bottom to top. Left, the encoder: the embedded source, of shape B, S, D, passes layer 1, layer 2 "
        "and a last norm, and becomes the memory, of shape B, S, D. Right, the decoder: the embedded target, of shape "
        "B, T, D, passes layer 1, layer 2 and a last norm. From the memory one arrow goes to decoder layer 1 and one "
        "to decoder layer 2. None leaves encoder layer 1 but the one to encoder layer 2.",
    )
    lane = 300.0
    for x, side, shape in ((LEFT, "Encoder", "source  (B, S, D)"), (RIGHT, "Decoder", "target  (B, T, D)")):
        middle = x + WIDTH / 2
        canvas.text(middle, 414, shape, SMALL, look="soft")
        canvas.arrow((middle, 398), (middle, 372))
        canvas.box(x, 314, WIDTH, 54, f"{side} layer 1")
        canvas.arrow((middle, 312), (middle, 262))
        canvas.box(x, 204, WIDTH, 54, f"{side} layer 2")
        canvas.arrow((middle, 202), (middle, 162))
        canvas.box(x + 60, 122, WIDTH - 120, 36, "last norm", size=SMALL)
        canvas.arrow((middle, 120), (middle, 86))
    canvas.box(LEFT, 22, WIDTH, 60, "memory", "(B, S, D)", kind="point")
    canvas.box(RIGHT, 22, WIDTH, 60, "decoded", "(B, T, D)")
    for y in (231, 341):
        canvas.arrow((LEFT + WIDTH + 2, 52), (lane, 52), (lane, y), (RIGHT - 2, y), look="mark")
    return canvas
