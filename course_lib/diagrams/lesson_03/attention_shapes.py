"""All queries at once: the formula of attention as rectangles."""

from __future__ import annotations

from course_lib.diagrams.canvas import SMALL, TEXT, Canvas

TALL = 104.0


def draw() -> Canvas:
    """Draw two matrix products with a softmax between them, with the shape on every rectangle."""
    canvas = Canvas(
        406,
        "Attention for all queries: two matrix products",
        "First product: Q with T rows of width d_k, times K transposed with S columns of height d_k, gives T rows of S "
        "scores. They are divided by the root of d_k, and softmax runs along each row. Second product: the T by S "
        "weights, times V with S rows of width d_v, give T outputs of width d_v. One row of each is shaded: it is the "
        "row of one query, from query to output.",
    )
    top, bottom = 52.0, 272.0
    _matrix(canvas, 16, top, 124, TALL, "Q", "(T, dₖ)", row=True)
    canvas.text(168, top + TALL / 2, "×", 28)
    _matrix(canvas, 196, top, 168, 92, "Kᵀ", "(dₖ, S)")
    canvas.text(392, top + TALL / 2, "=", 28)
    _matrix(canvas, 420, top, 164, TALL, "scores", "(T, S)", row=True)
    canvas.arrow((502, top + TALL + 4), (502, 208), (98, 208), (98, bottom - 34))
    canvas.text(300, 190, "divide by √dₖ, softmax along each row", SMALL, look="soft")
    _matrix(canvas, 16, bottom, 164, TALL, "weights", "(T, S)", row=True)
    canvas.text(208, bottom + TALL / 2, "×", 28)
    _matrix(canvas, 236, bottom, 128, TALL + 16, "V", "(S, dᵥ)")
    canvas.text(392, bottom + TALL / 2, "=", 28)
    _matrix(canvas, 420, bottom, 128, TALL, "output", "(T, dᵥ)", row=True)
    return canvas


def _matrix(
    canvas: Canvas, x: float, y: float, width: float, height: float, name: str, shape: str, row: bool = False
) -> None:
    """Draw a rectangle with its name above and its shape inside; ``row`` shades the row of one query."""
    canvas.text(x + width / 2, y - 18, name, TEXT, look="strong")
    canvas.box(x, y, width, height, corner=3)
    canvas.text(x + width / 2, y + height / 2 + (12 if row else 0), shape, SMALL)
    if row:
        canvas.box(x, y + 14, width, 20, kind="point", corner=0)
