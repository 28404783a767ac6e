"""Who looks at whom: attention weights as a grid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from course_lib.figures.picture import Picture
from course_lib.figures.style import entitle, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def attention_map(
    weights: ArrayLike, queries: Sequence[str], keys: Sequence[str], focus: str | None = None, title: str | None = None
) -> Picture:
    """Draw weights as a grid: one row per query, one column per key, the value in each cell.

    Args:
        weights: (T, S).
        queries: T words.
        keys: S words.
        focus: the query in the title; by default, the query with the largest weight.
        title: replaces the sentence about ``focus``.
    """
    table = as_table(weights, queries, keys)
    row = queries.index(focus) if focus is not None else int(table.max(axis=1).argmax())
    figure, (axes,) = new_figure(1.9 + 0.78 * len(keys), 1.6 + 0.52 * len(queries))
    draw_map(axes, table, queries, keys)
    message = title or f"“{queries[row]}” looks most at “{keys[int(table[row].argmax())]}”: {table[row].max():.2f}"
    entitle(figure, message)
    return Picture(figure, message, describe_map(table, queries, keys))


def as_table(weights: ArrayLike, queries: Sequence[str], keys: Sequence[str]) -> NDArray[np.float64]:
    """Return the weights as a (T, S) array, or a sentence that says what does not fit."""
    detached: Any = weights.detach() if hasattr(weights, "detach") else weights
    table = np.asarray(detached, dtype=np.float64)
    if table.shape != (len(queries), len(keys)):
        raise ValueError(
            f"The map has {len(queries)} queries and {len(keys)} keys; the weights have the shape {table.shape}."
        )
    return table


def draw_map(axes: Axes, table: NDArray[np.float64], queries: Sequence[str], keys: Sequence[str]) -> None:
    """Draw the grid on given axes."""
    axes.imshow(table, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    axes.set_xticks(range(len(keys)), keys)
    axes.set_yticks(range(len(queries)), queries)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("key: the word looked at")
    axes.set_ylabel("query: the word that looks")
    for (i, j), weight in np.ndenumerate(table):
        axes.text(
            j, i, f"{weight:.2f}", ha="center", va="center", fontsize=11, color="white" if weight > 0.7 else "black"
        )


def describe_map(table: NDArray[np.float64], queries: Sequence[str], keys: Sequence[str]) -> str:
    """Describe the grid in words, one clause per query."""
    rows = (
        f"{query}: " + ", ".join(f"{key} {weight:.2f}" for key, weight in zip(keys, row, strict=True))
        for query, row in zip(queries, table, strict=True)
    )
    return "Attention weights, one row a query. " + "; ".join(rows) + "."
