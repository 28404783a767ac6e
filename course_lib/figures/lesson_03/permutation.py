"""The same words in another order: the weights are the same, only reordered."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from course_lib.figures.attention_map import as_table, describe_map, draw_map
from course_lib.figures.picture import Picture
from course_lib.figures.style import entitle, new_figure


def permutation(before: ArrayLike, after: ArrayLike, words: Sequence[str], order: Sequence[int]) -> Picture:
    """Draw two attention maps side by side: of the sentence, and of the reordered sentence.

    Args:
        before: (T, T), weights of ``words``.
        after: (T, T), weights of ``words[order[0]], words[order[1]], …``.
        words: T words.
        order: the new order, T indices.
    """
    moved = [words[i] for i in order]
    left, right = as_table(before, words, words), as_table(after, moved, moved)
    difference = float(np.abs(left[np.ix_(order, order)] - right).max())
    figure, (first, second) = new_figure(2.4 + 1.3 * len(words), 1.7 + 0.52 * len(words), columns=2)
    draw_map(first, left, words, words)
    draw_map(second, right, moved, moved)
    first.set_title(" ".join(words))
    second.set_title(" ".join(moved))
    second.set_ylabel("")
    same = difference < 1e-6
    message = (
        "Words change places, their weights go with them" if same else "The weights depend on the order of the words"
    )
    entitle(figure, message)
    alt = (
        f"Left: {describe_map(left, words, words)} Right, re-ordered: {describe_map(right, moved, moved)} "
        f"Largest difference for the same pair of words: {difference:.1e}."
    )
    return Picture(figure, message, alt)
