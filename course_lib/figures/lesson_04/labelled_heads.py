"""Where the numbers of each token end up when a tensor is split into heads."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from course_lib.figures.picture import Picture
from course_lib.figures.style import BLUE, CYCLE, entitle, new_figure


def labelled_heads(heads: ArrayLike, labels_of_a_token: int = 10) -> Picture:
    """Draw one grid per head, one row per token, one number per cell; all numbers of a token share a colour.

    Args:
        heads: (H, T, Dh), whole numbers that show their origin: ``10 * token + feature``.
        labels_of_a_token: the 10 in that formula.
    """
    detached: Any = heads.detach() if hasattr(heads, "detach") else heads
    table = np.asarray(detached).astype(int)
    owner = table // labels_of_a_token  # (H, T, Dh)
    rows = table.shape[1]
    astray = int((owner != np.arange(rows)[None, :, None]).any(axis=2).sum())
    width = max(1.2 + 0.78 * table.shape[0] * table.shape[2], 5.6)
    figure, panels = new_figure(width, 1.7 + 0.5 * rows, columns=table.shape[0])
    for number, axes in enumerate(panels):
        for (row, column), label in np.ndenumerate(table[number]):
            color = CYCLE[owner[number, row, column] % len(CYCLE)]
            axes.add_patch(_cell(row, column, color))
            axes.text(column, row, f"{label:02d}", ha="center", va="center", fontsize=12, color="white")
        axes.set_xlim(-0.5, table.shape[2] - 0.5)
        axes.set_ylim(rows - 0.5, -0.5)
        axes.set_yticks(range(rows), [f"token {row}" for row in range(rows)] if number == 0 else [""] * rows)
        axes.set_xticks([])
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.set_title(f"head {number}")
        axes.set_xlabel("features")
    panels[0].set_ylabel("row of the tensor")
    total = table.shape[0] * rows
    message = (
        "Every row holds numbers of its own token"
        if astray == 0
        else f"{astray} of {total} rows hold other tokens' numbers"
    )
    entitle(figure, message)
    clauses = "; ".join(
        f"head {number}, row {row}: {' '.join(f'{label:02d}' for label in table[number, row])}"
        for number in range(table.shape[0])
        for row in range(rows)
    )
    return Picture(figure, message, f"Numbers labelled by token and feature. {clauses}.")


def _cell(row: int, column: int, color: str) -> Any:
    from matplotlib.patches import Rectangle

    # the palette's orange and sky are too pale for white letters, so darken all colours a little
    return Rectangle((column - 0.46, row - 0.44), 0.92, 0.88, facecolor=_darker(color), linewidth=0)


def _darker(color: str) -> str:
    if color == BLUE:
        return color
    return "#" + "".join(f"{int(int(color[i : i + 2], 16) * 0.72):02x}" for i in (1, 3, 5))
