"""Layer normalisation next to batch normalisation: which numbers of (B, T, D) share a mean."""

from __future__ import annotations

from course_lib.diagrams.canvas import SMALL, Canvas, Kind
from course_lib.diagrams.lesson_06.numbers import BOOK, OTHER, SUM, WORDS

CELL, ROW, FEATURE = 48.0, 28.0, 2
PANELS = (16.0, 316.0)


def draw() -> Canvas:
    """Draw two sentences as two grids, twice: on the left a row is marked, on the right a column through both."""
    mean = SUM.mean()
    listed = ", ".join(f"{number:g}" for number in SUM)
    canvas = Canvas(
        476,
        "Which numbers share a mean",
        "Two sentences of five words, each word a row of four features, (B, T, D) = (2, 5, 4), shown twice. On the "
        f"left, layer normalisation: one row is marked, the four numbers of book, {listed}, which share the mean "
        f"{mean:g}. Every other row has a mean of its own. On the right, batch normalisation: one column is marked "
        "through both sentences, the ten numbers of one feature, which share a mean.",
    )
    below = (
        ("LayerNorm", f"4 numbers of one word: mean {mean:g}", "10 words, so 10 means"),
        ("BatchNorm", "10 numbers of one feature", "4 features, so 4 means"),
    )
    for panel, (left, (name, which, count)) in enumerate(zip(PANELS, below, strict=True)):
        canvas.text(left, 22, name, anchor="start", look="strong")
        for sentence, words in enumerate((WORDS, OTHER)):
            top = 62.0 + sentence * (5 * ROW + 38)
            canvas.text(left + 268, top - 14, f"sentence {sentence + 1}: (T, D)", SMALL, "end", "soft")
            for i, word in enumerate(words):
                y, is_book = top + i * ROW, not sentence and i == BOOK
                canvas.text(left + 66, y + ROW / 2, f"*{word}*", SMALL, "end", "strong" if is_book else "")
                numbers = [f"{number:g}" if is_book else "" for number in SUM]
                marked = None if not panel else FEATURE
                kind: Kind = "point" if is_book and not panel else "plain"
                canvas.cells(left + 76, y, [numbers], CELL, ROW, marked, kind)
        canvas.text(left, 418, which, SMALL, "start")
        canvas.text(left, 446, count, SMALL, "start", "soft")
    return canvas
