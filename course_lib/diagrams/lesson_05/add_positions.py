"""A word's vector plus the vector of its position: two sentences with the same five words."""

from __future__ import annotations

from course_lib.diagrams.canvas import SMALL, Canvas

RED_BOOK = ("the", "red", "book", "is", "old")
OLD_BOOK = ("the", "old", "book", "is", "red")
LEFT, STEP, BOX = 12.0, 94.0, 84.0
RIGHT = LEFT + 5 * STEP


def draw() -> Canvas:
    """Draw one column per position: the first sentence's word, the position, their sum, and the other sentence's."""
    canvas = Canvas(
        400,
        "Word plus position",
        f"One column per position, 0 to 4. The first row has the vectors of the words of “{' '.join(RED_BOOK)}”, of "
        "shape (T, D), the second the vectors of the positions, p0 to p4, of the same shape. Added, they are the input "
        "of the first layer, x0 to x4, again (T, D): red plus p1, for instance, and old plus p4. Below are the sums "
        f"for “{' '.join(OLD_BOOK)}”: the same positions, but now they are old plus p1 and red plus p4.",
    )
    tops = (38.0, 120.0, 202.0, 322.0)
    for t, (word, other) in enumerate(zip(RED_BOOK, OLD_BOOK, strict=True)):
        x, moved = LEFT + t * STEP, word != other
        middle, subscript = x + BOX / 2, "₀₁₂₃₄"[t]
        canvas.text(middle, 20, f"{t}", SMALL, look="soft")
        canvas.box(x, tops[0], BOX, 44, f"*{word}*", kind="point" if moved else "plain")
        canvas.text(middle, 102, "+")
        canvas.box(x, tops[1], BOX, 44, f"p{subscript}", kind="yours")
        canvas.text(middle, 184, "=")
        canvas.box(x, tops[2], BOX, 44, f"*{word}*+p{subscript}", kind="point" if moved else "plain", size=SMALL)
        canvas.box(x, tops[3], BOX, 44, f"*{other}*+p{subscript}", kind="point" if moved else "plain", size=SMALL)
    canvas.text(RIGHT + 4, 20, "position", SMALL, "start", "soft")
    for top, name in zip(tops[:3], ("words", "positions", "sums"), strict=True):
        canvas.text(RIGHT + 4, top + 12, name, SMALL, "start", "strong")
        canvas.text(RIGHT + 4, top + 34, "(T, D)", SMALL, "start", "soft")
    canvas.text(LEFT, 276, "The same table of positions, and the other book:", SMALL, "start", "soft")
    canvas.text(LEFT, 302, "*the old book is red*", SMALL, "start")
    canvas.text(RIGHT + 4, tops[3] + 12, "sums", SMALL, "start", "strong")
    canvas.text(RIGHT + 4, tops[3] + 34, "(T, D)", SMALL, "start", "soft")
    return canvas
