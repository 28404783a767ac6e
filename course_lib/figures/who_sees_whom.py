"""Which outputs depend on which tokens, and which of these tokens are in the future."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from course_lib.figures.picture import Picture
from course_lib.figures.style import BLUE, RED, entitle, new_figure


def who_sees_whom(seen: Mapping[str, ArrayLike]) -> Picture:
    """Draw one grid per model: row i, column j is filled if the output at position i depends on the token at j.

    Args:
        seen: (T, T), boolean, by name.
    """
    grids = {name: _as_array(table) for name, table in seen.items()}
    length = max(len(grid) for grid in grids.values())
    from matplotlib.colors import ListedColormap  # imported only if needed

    width = max(6.0, 0.7 + (0.6 + 0.26 * length) * len(grids))
    figure, panels = new_figure(width, 2.2 + 0.26 * length, columns=len(grids))
    colors = ListedColormap(["white", BLUE, RED])
    for place, (axes, (name, grid)) in enumerate(zip(panels, grids.items(), strict=True)):
        places = range(len(grid))
        future = grid & np.triu(np.ones_like(grid), 1)
        axes.imshow(grid.astype(int) + future, cmap=colors, vmin=0, vmax=2)
        for i, j in np.argwhere(future):
            axes.text(j, i, "×", ha="center", va="center", color="white", fontsize=11, fontweight="bold")
        axes.set_xticks(places)
        axes.set_yticks(places, [str(i) if place == 0 else "" for i in places])
        axes.set_xticks(np.arange(-0.5, len(grid)), minor=True)
        axes.set_yticks(np.arange(-0.5, len(grid)), minor=True)
        axes.grid(which="minor", color="#BBBBBB", linewidth=0.6)
        axes.tick_params(which="both", length=0)
        axes.spines[:].set_visible(False)
        axes.set_title(name)
        axes.set_xlabel("token")
    panels[0].set_ylabel("output")
    seeing = [" ".join(name.split()) for name, grid in grids.items() if np.triu(grid, 1).any()]
    message = f"The future (×) is seen by: {', '.join(seeing)}" if seeing else "No output sees the future"
    entitle(figure, message)
    clauses = "; ".join(
        f"{' '.join(name.split())}: " + ", ".join(f"output {i} sees {_places(row)}" for i, row in enumerate(grid))
        for name, grid in grids.items()
    )
    return Picture(figure, message, f"Which output depends on which token, by position. {clauses}.")


def _as_array(table: ArrayLike) -> NDArray[np.bool_]:
    detached: Any = table.detach() if hasattr(table, "detach") else table
    return np.asarray(detached, dtype=bool)


def _places(row: NDArray[np.bool_]) -> str:
    """Describe the positions of a row in words: a run as its ends."""
    seen = np.flatnonzero(row).tolist()
    if not seen:
        return "nothing"
    if len(seen) > 2 and seen == list(range(seen[0], seen[-1] + 1)):
        return f"{seen[0]} to {seen[-1]}"
    return " and ".join(map(str, seen))
