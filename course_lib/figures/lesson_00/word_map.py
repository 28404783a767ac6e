"""Which words a translator looked at while it wrote each word."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from course_lib.figures.attention_map import as_table, describe_map, draw_map
from course_lib.figures.picture import Picture
from course_lib.figures.style import GREY, entitle, new_figure


def word_map(weights: ArrayLike, written: Sequence[str], read: Sequence[str], focus: str) -> Picture:
    """Plot weights as a grid: one row per written word, one column per source word.

    Args:
        weights: (T, S).
        written: T words.
        read: S words.
        focus: the written word in the title.
    """
    table = as_table(weights, written, read)
    row = written.index(focus)
    figure, (axes,) = new_figure(1.9 + 0.78 * len(read), 1.6 + 0.52 * len(written))
    draw_map(axes, table, written, read)
    axes.set_xlabel("the English words that were read")
    axes.set_ylabel("French word being written")
    for number in axes.texts:
        if number.get_text() == "0.00":
            number.set_color(GREY)
    message = f"“{focus}” looks most at “{read[int(table[row].argmax())]}”: {table[row].max():.2f}"
    entitle(figure, message)
    words = describe_map(table, written, read).replace("one row a query", "one row a word that is written")
    return Picture(figure, message, words)
