"""Which outputs move when one query is changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from course_lib.figures.picture import Picture
from course_lib.figures.style import entitle, new_figure


def moved_by_query(moved: Mapping[str, ArrayLike], words: Sequence[str]) -> Picture:
    """Draw one grid per layer: row i, column j is dark if output j moves when query i is changed.

    Args:
        moved: (T, T) by the layer's name: how much each output moves.
        words: T words.
    """
    grids = {name: _numbers(table) > 1e-9 for name, table in moved.items()}
    figure, panels = new_figure(2 + 0.75 * len(words) * len(grids), 1.9 + 0.45 * len(words), columns=len(grids))
    for place, (axes, (name, grid)) in enumerate(zip(panels, grids.items(), strict=True)):
        axes.imshow(grid, cmap="Blues", vmin=0, vmax=1.3, aspect="auto")
        axes.set_xticks(range(len(words)), words, rotation=35, ha="right")
        axes.set_yticks(range(len(words)), words if place == 0 else [""] * len(words))
        axes.set_xticks(np.arange(-0.5, len(words)), minor=True)
        axes.set_yticks(np.arange(-0.5, len(words)), minor=True)
        axes.grid(which="minor", color="#BBBBBB", linewidth=0.6)
        axes.tick_params(which="both", length=0)
        axes.set_title(name)
        axes.set_xlabel("output that moves")
    panels[0].set_ylabel("query that is disturbed")
    astray = {name: int((grid & ~np.eye(len(words), dtype=bool)).any(axis=0).sum()) for name, grid in grids.items()}
    message = "Outputs that move with another word's query: " + ", ".join(
        f"{name} {number} of {len(words)}" for name, number in astray.items()
    )
    entitle(figure, message)
    clauses = ". ".join(
        f"{name}: "
        + "; ".join(
            f"query {word} moves " + (", ".join(w for w, m in zip(words, row, strict=True) if m) or "nothing")
            for word, row in zip(words, grid, strict=True)
        )
        for name, grid in grids.items()
    )
    return Picture(figure, message, f"Which outputs move when one query is disturbed. {clauses}.")


def _numbers(table: ArrayLike) -> np.ndarray:
    detached: Any = table.detach() if hasattr(table, "detach") else table
    return np.asarray(detached, dtype=np.float64)
