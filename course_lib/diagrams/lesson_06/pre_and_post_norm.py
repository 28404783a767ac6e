"""An encoder layer twice: with LayerNorm outside the residual stream, and with LayerNorm in it."""

from __future__ import annotations

from course_lib.diagrams.canvas import SMALL, Canvas

SHAPE = "(B, S, D)"
WIDE = 158.0  #: of a sub-layer


def draw() -> Canvas:
    """Draw both layers from bottom to top; the thick line is the residual stream."""
    canvas = Canvas(
        690,
        "An encoder layer, pre-norm and post-norm",
        "Two encoder layers, read from bottom to top; every arrow carries vectors of shape (B, S, D). On the left, "
        "pre-norm: the residual stream runs as one straight line from input to output. A branch leaves it, passes "
        "through a LayerNorm and multi-head attention, and is added back; a second branch passes through a LayerNorm "
        "and the feed-forward network, and is added back. On the right, post-norm: the branches have no LayerNorm, and "
        "after each sum, a LayerNorm acts on the stream itself.",
    )
    _panel(canvas, 8, "Pre-norm", norm_first=True)
    _panel(canvas, 308, "Post-norm", norm_first=False)
    return canvas


def _panel(canvas: Canvas, left: float, name: str, norm_first: bool) -> None:
    stream, middle = left + 50, left + 120 + WIDE / 2
    canvas.text(left, 20, name, anchor="start", look="strong")
    canvas.text(stream + 14, 668, f"x {SHAPE}", SMALL, "start")
    canvas.text(stream + 14, 60, f"output {SHAPE}", SMALL, "start")
    bottom = 682.0
    for lines, top in ((("Multi-head", "attention"), 384.0), (("Feed-forward", "D → F → D"), 92.0)):
        branch = top + 244  # where the branch leaves the stream
        add = top + 28 if norm_first else top + 76
        canvas.arrow((stream, bottom), (stream, add + 15), look="mark")
        canvas.text(stream + 14, branch - 18, SHAPE, SMALL, "start", "soft")
        if norm_first:
            canvas.arrow((stream, branch), (middle, branch), (middle, branch - 34))
            canvas.box(middle - 58, branch - 70, 116, 34, "LayerNorm", size=SMALL)
            canvas.arrow((middle, branch - 70), (middle, branch - 98))
            low = branch - 100
        else:
            canvas.arrow((stream, branch), (middle, branch), (middle, branch - 48))
            low = branch - 50
        canvas.box(middle - WIDE / 2, low - 62, WIDE, 62, *lines)
        canvas.arrow((middle, low - 62), (middle, add), (stream + 16, add))
        canvas.box(stream - 14, add - 14, 28, 28, "+", corner=14)
        bottom = add - 14
        if not norm_first:
            canvas.arrow((stream, bottom), (stream, bottom - 20), look="mark")
            canvas.box(stream - 58, bottom - 56, 116, 34, "LayerNorm", kind="point", size=SMALL)
            bottom -= 56
    canvas.arrow((stream, bottom), (stream, 40), look="mark")
