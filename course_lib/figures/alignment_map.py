"""A translator's attention for each word that it wrote, with the aligned pairs framed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from course_lib.figures.attention_map import as_table, describe_map
from course_lib.figures.picture import Picture
from course_lib.figures.style import RED, entitle, new_figure


def alignment_map(
    weights: ArrayLike,
    target: Sequence[str],
    source: Sequence[str],
    alignment: Iterable[tuple[int, int]],
    unit: str = "word",
) -> Picture:
    """Draw weights as a grid, one row per target word, one column per source word; aligned pairs are framed.

    Args:
        weights: (T, S).
        target: T words.
        source: S words.
        alignment: ``(i, j)`` if ``source[i]`` and ``target[j]`` mean the same.
        unit: the aligned unit, if it isn't a word.
    """
    table, gold = as_table(weights, target, source), sorted(set(alignment))
    figure, (axes,) = new_figure(2.2 + 0.62 * len(source), 1.9 + 0.4 * len(target))
    axes.imshow(table, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    axes.set_xticks(range(len(source)), source, rotation=45, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(target)), target)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xlabel(f"source {unit}: the key")
    axes.set_ylabel(f"target {unit}: written with these weights")
    for (j, i), weight in np.ndenumerate(table):
        if weight >= 0.05:
            color = "white" if weight > 0.7 else "black"
            axes.text(i, j, f"{weight:.1f}", ha="center", va="center", fontsize=10, color=color)
    for i, j in gold:
        axes.plot(
            [i - 0.46, i + 0.46, i + 0.46, i - 0.46, i - 0.46],
            [j - 0.44, j - 0.44, j + 0.44, j + 0.44, j - 0.44],
            color=RED,
            linewidth=2,
        )
    aligned = sorted({j for _, j in gold})
    hits = sum((int(table[j].argmax()), j) in gold for j in aligned)
    message = f"The largest weight is in a frame for {hits} of {len(aligned)} {unit}s"
    entitle(figure, message)
    framed = "; ".join(f"{target[j]} with {source[i]}" for i, j in gold)
    return Picture(figure, message, f"{describe_map(table, target, source)} Aligned pairs, framed: {framed}.")
