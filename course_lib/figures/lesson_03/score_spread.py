"""The standard deviation of dot products of random vectors."""

from __future__ import annotations

import numpy as np

from course_lib.experiments.series import Recorded, Series
from course_lib.figures.picture import Picture
from course_lib.figures.style import BLUE, GREY, add_series, entitle, legend, new_figure, widths_axis


def score_spread(live: Series, recorded: Recorded) -> Picture:
    """Draw the standard deviation of ``q · k`` against the width, next to ``sqrt(d_k)``.

    Args:
        live: ``d_k`` and ``spread``, measured now.
        recorded: the same over several seeds.
    """
    widths, spread = live["d_k"], live["spread"]
    figure, (axes,) = new_figure(7, 3.8)
    axes.plot(widths, np.sqrt(widths), color=GREY, linestyle="--", label=r"$\sqrt{d_k}$")
    add_series(axes, widths, spread, recorded["spread"], color=BLUE, marker="o", linestyle="none", label="measured")
    widths_axis(axes, widths)
    axes.set_yscale("log", base=2)
    ticks = [2.0**n for n in range(1, 6)]
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_ylabel("standard deviation of $q · k$")
    legend(axes, "upper left")
    slope = float(np.polyfit(np.log(widths), np.log(spread), 1)[0])
    message = f"Scores spread like $d_k$ to the power {slope:.2f}"
    entitle(figure, message)
    pairs = ", ".join(f"{s:.1f} at {w:g}" for w, s in zip(widths, spread, strict=True))
    return Picture(figure, message, f"Standard deviation of the dot product against the width: {pairs}.")
