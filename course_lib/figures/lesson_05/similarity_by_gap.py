"""How similar the vectors of two positions are, by the gap between them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from course_lib.experiments.series import Series
from course_lib.figures.picture import Picture
from course_lib.figures.style import CYCLE, DASHES, MARKERS, entitle, grid, legend, new_figure


def similarity_by_gap(live: Mapping[int, Series]) -> Picture:
    """Draw one curve per width, and a mark where it turns upwards for the first time.

    Args:
        live: ``gap`` and ``cosine``, by width.
    """
    figure, (axes,) = new_figure(8.5, 4.2)
    minima = {}
    for place, (width, series) in enumerate(live.items()):
        gap, cosine = np.asarray(series["gap"]), np.asarray(series["cosine"])
        rising = np.flatnonzero(np.diff(cosine) > 0)
        turn = int(rising[0]) if len(rising) else len(gap) - 1
        minima[width] = gap[turn]
        axes.plot(gap, cosine, color=CYCLE[place], linestyle=DASHES[place], label=f"D = {width}")
        axes.plot(gap[turn], cosine[turn], color=CYCLE[place], marker=MARKERS[place], markersize=9)
    axes.set_xlabel("gap between two positions (words)")
    axes.set_ylabel("cosine of their vectors")
    legend(axes, "lower left")
    grid(axes)
    turns = ", ".join(f"{gap:g}" for gap in minima.values())
    message = f"Similarity falls only up to a gap of {turns}"
    entitle(figure, message)
    clauses = "; ".join(
        f"D = {width}: from {s['cosine'][0]:.2f} down to {s['cosine'][int(minima[width])]:.2f} at a gap of "
        f"{minima[width]:g}, then up and down, {s['cosine'][-1]:.2f} at {s['gap'][-1]:g}"
        for width, s in live.items()
    )
    return Picture(figure, message, f"Cosine against gap, the first minimum marked. {clauses}.")
