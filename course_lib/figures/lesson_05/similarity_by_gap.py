"""How similar the vectors of two positions are, by the gap between them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from course_lib.experiments.positional_encoding import rises
from course_lib.experiments.series import Series
from course_lib.figures.picture import Picture
from course_lib.figures.style import entitle, grid, legend, look_of, new_figure


def similarity_by_gap(live: Mapping[int, Series]) -> Picture:
    """Draw one curve per width, and mark the gap at which it turns upwards for the first time.

    Args:
        live: ``gap`` and ``cosine``, by width.
    """
    figure, (axes,) = new_figure(8.5, 4.4)
    turns = {}
    for place, (width, series) in enumerate(live.items()):
        gap, cosine = np.asarray(series["gap"]), np.asarray(series["cosine"])
        rising = np.flatnonzero(np.diff(cosine) > 0)
        turn = turns[width] = int(rising[0]) if len(rising) else len(gap) - 1
        axes.plot(gap, cosine, **look_of(place), markevery=[turn], markersize=9, label=f"D = {width}")
        axes.annotate(
            f"{gap[turn]:g}", (gap[turn], cosine[turn]), (0, -16), textcoords="offset points", ha="center", fontsize=11
        )
    axes.set_xlabel("gap between two positions (words)")
    axes.set_ylabel("cosine of their vectors")
    axes.set_ylim(bottom=min(min(series["cosine"]) for series in live.values()) - 0.2)
    legend(axes, "lower left")
    grid(axes)
    ripples = [max(rises(series), default=0.0) for _, series in sorted(live.items())]
    weaker = len(ripples) > 1 and all(wider < narrower for narrower, wider in pairwise(ripples))
    message = "Similarity falls, then ripples" + (", less in wider vectors" if weaker else "")
    entitle(figure, message)
    clauses = "; ".join(
        f"D = {width}: from {s['cosine'][0]:.2f} down to {s['cosine'][turns[width]]:.2f} at a gap of "
        f"{s['gap'][turns[width]]:g}, then up and down, {s['cosine'][-1]:.2f} at {s['gap'][-1]:g}"
        for width, s in live.items()
    )
    return Picture(figure, message, f"Cosine against gap, the first minimum marked. {clauses}.")
