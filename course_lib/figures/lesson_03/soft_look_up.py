"""A soft look-up, which hardens as its scores grow."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from course_lib.figures.picture import Picture
from course_lib.figures.style import BLUE, entitle, grid, new_figure


def soft_look_up(
    weights: Mapping[float, ArrayLike], keys: Sequence[str], results: Mapping[float, float], unit: str = ""
) -> Picture:
    """Draw bars of the weights of each key, one panel for each factor that the scores are multiplied by.

    Args:
        weights: (S,) weights by that factor.
        keys: S names.
        results: what the look-up returns, by the same factor.
        unit: the unit of the results.
    """
    figure, panels = new_figure(3.3 * len(weights), 3.2, columns=len(weights), sharey=True)
    clauses = []
    for axes, (factor, values) in zip(panels, weights.items(), strict=True):
        heights = np.asarray(values, dtype=np.float64)
        bars = axes.bar(keys, heights, color=BLUE, width=0.6)
        axes.bar_label(bars, [f"{height:.2f}" for height in heights], padding=2, fontsize=11)
        returns = f"returns {results[factor]:.2f} {unit}".rstrip()
        axes.set_title(f"scores × {factor:g}: {returns}")
        axes.set_xlabel("key")
        grid(axes)
        shares = ", ".join(f"{key} {height:.2f}" for key, height in zip(keys, heights, strict=True))
        clauses.append(f"scores times {factor:g}: {shares}, which {returns}")
    panels[0].set_ylabel("weight")
    panels[0].set_ylim(0, 1.12)
    largest = [float(np.max(np.asarray(values))) for values in weights.values()]
    hardens = all(a < b for a, b in itertools.pairwise(largest))
    message = "The larger the scores, the more one key takes" if hardens else "The weights of one look-up"
    entitle(figure, message)
    return Picture(figure, message, "Bars of the weight of each key: " + "; ".join(clauses) + ".")
