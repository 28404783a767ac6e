"""One padding mask for all queries of all heads: a row for each sentence, repeated by broadcasting."""

from __future__ import annotations

from course_lib.diagrams.canvas import SMALL, Canvas, Kind

SENTENCES = (("the", "red", "book", "is", "old"), ("the", "dog", "slept", "", ""))
LEFT, CELL, ROW = 16.0, 56.0, 40.0
GRIDS, SMALLEST = 356.0, 22.0


def draw() -> Canvas:
    """Draw the mask as it is passed (left), and its effect on the scores of two heads (right)."""
    canvas = Canvas(
        380,
        "One padding mask serves all queries of all heads",
        "Left, a mask of shape (2, 1, 1, 5): a row for each of two sentences, “the red book is old” with five words "
        "and “the dog slept” with three words and two positions of padding, which are crossed out. Right, the scores "
        "(2, 2, 5, 5): for each sentence two heads, each with five queries and five keys. The row of a sentence is "
        "repeated for all five queries of both heads: the first sentence has nothing crossed out, in the second the "
        "last two columns are crossed out in both heads.",
    )
    canvas.text(LEFT, 22, "mask (B, 1, 1, S)", anchor="start", look="strong")
    canvas.text(GRIDS, 22, "scores (B, H, T, S)", anchor="start", look="strong")
    for number, words in enumerate(SENTENCES):
        top = 84.0 + 150 * number
        y = top + 2.5 * SMALLEST - ROW / 2
        canvas.text(LEFT, y - 18, f"sentence {number}", SMALL, "start", "soft")
        for j, word in enumerate(words):
            canvas.box(
                LEFT + j * CELL, y, CELL, ROW, f"*{word}*" if word else "✗", kind=_kind(word), size=SMALL, corner=0
            )
        canvas.arrow((LEFT + 5 * CELL + 6, y + ROW / 2), (GRIDS - 8, y + ROW / 2))
        for head in range(2):
            left = GRIDS + head * (5 * SMALLEST + 18)
            canvas.text(left + 2.5 * SMALLEST, top - 14, f"head {head}", SMALL, look="soft")
            for i in range(5):
                for j, word in enumerate(words):
                    mark = () if word else ("✗",)
                    x = left + j * SMALLEST
                    canvas.box(x, top + i * SMALLEST, SMALLEST, SMALLEST, *mark, kind=_kind(word), size=16.6, corner=0)
    canvas.text(300, 362, "✗ is padding: no query of any head looks there.", SMALL, look="soft")
    return canvas


def _kind(word: str) -> Kind:
    return "plain" if word else "point"
