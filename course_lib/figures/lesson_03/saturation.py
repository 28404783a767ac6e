"""What happens to attention's weights and gradients when the scores are not scaled."""

from __future__ import annotations

from course_lib.experiments.series import Recorded, Series
from course_lib.figures.picture import Picture
from course_lib.figures.style import (
    BLUE,
    DASHES,
    MARKERS,
    RED,
    add_series,
    entitle,
    grid,
    legend,
    new_figure,
    widths_axis,
)

_ARMS = (("scaled", "divided by $\\sqrt{d_k}$", BLUE), ("unscaled", "not divided", RED))


def saturation(live: Series, recorded: Recorded) -> Picture:
    """Draw the weight of the largest key, and the gradient at the query, by width; a shaded band shows several seeds.

    Args:
        live: ``d_k``, and ``largest`` and ``median_gradient``, each with ``_scaled`` and ``_unscaled``.
        recorded: the same over several seeds.
    """
    widths = live["d_k"]
    figure, (left, right) = new_figure(11, 4.2, columns=2)
    for place, (arm, label, color) in enumerate(_ARMS):
        for axes, name in ((left, "largest"), (right, "median_gradient")):
            series = f"{name}_{arm}"
            add_series(
                axes,
                widths,
                live[series],
                recorded[series],
                color=color,
                marker=MARKERS[place],
                linestyle=DASHES[place],
                label=label,
            )
    left.set_title("weight of the largest key")
    left.set_ylabel("weight")
    left.set_ylim(0, 1.03)
    legend(left, "center right")
    right.set_title("gradient that reaches the median query")
    right.set_ylabel("norm")
    right.set_yscale("log")
    right.yaxis.set_major_formatter("{x:g}")
    legend(right, "lower left")
    for axes in (left, right):
        widths_axis(axes, widths)
        grid(axes)
    collapsed = live["median_gradient_unscaled"][-1] < 0.01 * live["median_gradient_scaled"][-1]
    message = f"Unscaled at $d_k$ = {widths[-1]:g}, one key takes {live['largest_unscaled'][-1]:.0%} of the weight" + (
        ", and the typical query gets almost no gradient" if collapsed else ""
    )
    entitle(figure, message)
    return Picture(figure, message, _describe(live))


def _describe(live: Series) -> str:
    first, last = live["d_k"][0], live["d_k"][-1]
    clauses = []
    for name, words in (
        ("largest", "weight of the largest key"),
        ("median_gradient", "gradient of the median query"),
    ):
        for arm, *_ in _ARMS:
            series = live[f"{name}_{arm}"]
            clauses.append(f"{words}, {arm}: {series[0]:.2g} at {first:g}, {series[-1]:.2g} at {last:g}")
    return "Against the width: " + "; ".join(clauses) + "."
