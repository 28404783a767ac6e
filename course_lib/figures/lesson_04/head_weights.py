"""Where each head looks, and what remains of it in their average."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from course_lib.figures.picture import Picture
from course_lib.figures.style import entitle, new_figure


def head_weights(rows: dict[str, ArrayLike], places: Sequence[str]) -> Picture:
    """Draw a grid: one row for each head or average of heads, one column for each position, weights in the cells.

    Args:
        rows: (S,) weights by the row's name.
        places: S names of positions.
    """
    table = np.stack([_numbers(weights) for weights in rows.values()])  # (rows, S)
    names = list(rows)
    figure, (axes,) = new_figure(max(2.6 + 0.82 * len(places), 6.8), 1.6 + 0.52 * len(names))
    axes.imshow(table, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    axes.set_xticks(range(len(places)), places)
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("position looked at")
    axes.set_ylabel("who looks")
    for (i, j), weight in np.ndenumerate(table):
        axes.text(
            j, i, f"{weight:.2f}", ha="center", va="center", fontsize=11, color="white" if weight > 0.7 else "black"
        )
    alike: dict[str, list[str]] = {}
    for name, row in zip(names, table, strict=True):
        alike.setdefault(_much(row, places), []).append(name)
    message = "; ".join(
        f"{' and '.join(who)} {'look' if len(who) > 1 else 'looks'} at {what}" for what, who in alike.items()
    )
    entitle(figure, message)
    clauses = "; ".join(
        f"{name}: " + ", ".join(f"{place} {weight:.2f}" for place, weight in zip(places, row, strict=True))
        for name, row in zip(names, table, strict=True)
    )
    return Picture(figure, message, f"Weights, one row for each head. {clauses}.")


def _much(row: np.ndarray, places: Sequence[str]) -> str:
    """Return the positions that get at least half of the largest weight."""
    return " and ".join(place for place, weight in zip(places, row, strict=True) if weight >= row.max() / 2)


def _numbers(weights: ArrayLike) -> np.ndarray:
    detached: Any = weights.detach() if hasattr(weights, "detach") else weights
    return np.asarray(detached, dtype=np.float64)
