"""A decoder layer, pre-norm: three sub-layers, each with its norm and its residual connection."""

from __future__ import annotations

from course_lib.diagrams.canvas import SMALL, Canvas

STREAM, LEFT, WIDTH = 60.0, 124.0, 268.0
MIDDLE = LEFT + WIDTH / 2


def draw() -> Canvas:
    """Draw the residual stream of x at the left, from bottom to top, and next to it the sub-layers that add to it."""
    canvas = Canvas(
        808,
        "A decoder layer: three sub-layers, each adds to x",
        "Read from bottom to top. At the left runs x, of shape B, T, D. Three times a copy branches off to the "
        "right, is normalised, passes a sub-layer, and is added to x. First masked self-attention, with a mask of "
        "shape B, 1, T, T that hides the future and padding. Second cross-attention: the normalised x gives the "
        "queries, and the memory, of shape B, S, D, comes in from the right as keys and values, not normalised, "
        "with the source's padding mask of shape B, 1, 1, S. Third the feed-forward network, each position by "
        "itself. What leaves at the top is B, T, D again.",
    )
    canvas.text(STREAM, 790, "x  (B, T, D)", SMALL, look="soft")
    for number, name, more in (
        (0, "Masked self-attention", "x looks at x"),
        (1, "Cross-attention", "x looks at the memory"),
        (2, "Feed-forward", "each position by itself"),
    ):
        foot = 762.0 - 244 * number  # where the copy branches off
        top = foot - 210  # where it is added
        start = 776.0 if not number else foot + 18
        canvas.arrow((STREAM, start), (STREAM, top + 16))
        canvas.arrow((STREAM, foot - 14), (MIDDLE, foot - 14), (MIDDLE, foot - 30))
        canvas.box(LEFT + 50, foot - 66, WIDTH - 100, 34, "norm", size=SMALL)
        canvas.arrow((MIDDLE, foot - 68), (MIDDLE, foot - 92))
        canvas.box(LEFT, foot - 158, WIDTH, 64, name, more, kind="point" if number == 1 else "plain")
        canvas.arrow((MIDDLE, foot - 160), (MIDDLE, top), (STREAM + 16, top))
        canvas.box(STREAM - 14, top - 14, 28, 28, "+", corner=14)
        canvas.text(STREAM + 30, top - 16, "(B, T, D)", SMALL, "start", "soft")
    canvas.arrow((STREAM, 48), (STREAM, 28))
    canvas.text(STREAM + 16, 22, "to the next layer  (B, T, D)", SMALL, "start", "soft")

    first, second = 762.0 - 126, 762.0 - 244 - 126
    canvas.box(452, first - 32, 136, 64, "mask", "(B, 1, T, T)", kind="later")
    canvas.arrow((450, first), (LEFT + WIDTH + 2, first), look="faint")
    canvas.text(520, first + 48, "no future,", SMALL, look="soft")
    canvas.text(520, first + 70, "no padding", SMALL, look="soft")
    canvas.box(452, second - 76, 136, 64, "memory", "(B, S, D)", kind="point")
    canvas.arrow((450, second - 44), (422, second - 44), (422, second - 14), (LEFT + WIDTH + 2, second - 14))
    canvas.box(452, second + 12, 136, 64, "its mask", "(B, 1, 1, S)", kind="later")
    canvas.arrow(
        (450, second + 44), (422, second + 44), (422, second + 14), (LEFT + WIDTH + 2, second + 14), look="faint"
    )
    canvas.text(520, second - 92, "not normalised", SMALL, look="soft")
    canvas.text(520, second + 92, "no padding", SMALL, look="soft")
    return canvas
