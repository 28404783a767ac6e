"""Positional encodings as tables: one row per position, one column per dimension."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from course_lib.figures.picture import Picture
from course_lib.figures.style import entitle, new_figure

_TABLES = "one row per position, one column per dimension"


def encoding_table(tables: Mapping[str, ArrayLike]) -> Picture:
    """Draw tables side by side, each coloured from its lowest to its highest value.

    Args:
        tables: (T, D) each, by name.
    """
    figure, panels = new_figure(5.6 * len(tables), 4.6, columns=len(tables))
    clauses, quickest = [], []
    for axes, (name, table) in zip(panels, tables.items(), strict=True):
        values = np.asarray(table, dtype=np.float64)
        image = axes.imshow(values, cmap="RdBu_r", aspect="auto", interpolation="nearest")
        figure.colorbar(image, ax=axes, shrink=0.85).ax.set_xlabel("value")
        axes.set_title(name)
        axes.set_xlabel("dimension")
        axes.set_ylabel("position")
        axes.spines[:].set_visible(False)
        moved = np.abs(np.diff(values, axis=0)).mean(axis=0)  # (D,)
        quickest.append(int(moved.argmax()))
        clauses.append(
            f"{name}, {values.shape[0]} positions of {values.shape[1]} dimensions: from one position to the next "
            f"the first dimension changes by {moved[0]:.2g} on average, the last by {moved[-1]:.2g}"
        )
    first = all(place < 2 for place in quickest)
    message = "The first dimensions change fastest, the last hardly at all" if first else "Positions as vectors"
    entitle(figure, message)
    return Picture(figure, message, f"Tables, {_TABLES}. " + "; ".join(clauses) + ".")
