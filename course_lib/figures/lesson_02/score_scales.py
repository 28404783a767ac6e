"""The standard deviation of one query's scores, for several kinds of score."""

from __future__ import annotations

from collections.abc import Mapping

from course_lib.experiments.series import Recorded, Series
from course_lib.figures.picture import Picture
from course_lib.figures.style import add_series, entitle, grid, legend, look_of, new_figure, widths_axis


def score_scales(live: Series, recorded: Recorded, kinds: Mapping[str, str]) -> Picture:
    """Draw the scores' standard deviation, and the largest softmax weight that follows from it, by width.

    Args:
        live: ``width`` and, for each kind, ``spread_<kind>`` and ``largest_<kind>``.
        recorded: the same over several seeds.
        kinds: the kinds, and their labels.
    """
    widths = live["width"]
    figure, (left, right) = new_figure(11, 4.2, columns=2)
    for place, (kind, label) in enumerate(kinds.items()):
        for axes, name in ((left, "spread"), (right, "largest")):
            interval = recorded[f"{name}_{kind}"]
            add_series(axes, widths, live[f"{name}_{kind}"], interval, label=label, **look_of(place))
    left.set_title("standard deviation of the scores")
    left.set_ylabel("standard deviation")
    left.set_yscale("log")
    left.yaxis.set_major_formatter("{x:g}")
    right.set_title("weight of the largest of 16 keys")
    right.set_ylabel("weight")
    right.set_ylim(0, 1.03)
    left.set_ylim(top=20 * max(live[f"spread_{kind}"][-1] for kind in kinds))  # room for the legend
    legend(left, "upper left")
    for axes in (left, right):
        widths_axis(axes, widths)
        axes.set_xlabel("width of the states")
        grid(axes)
    most, least = (pick(kinds, key=lambda kind: live[f"largest_{kind}"][-1]) for pick in (max, min))
    message = (
        f"At width {widths[-1]:g}, one key of 16 takes {live[f'largest_{most}'][-1]:.0%} of the weight "
        f"({kinds[most]}), or {live[f'largest_{least}'][-1]:.0%} ({kinds[least]})"
    )
    entitle(figure, message)
    clauses = "; ".join(
        f"{label}: standard deviation {live[f'spread_{kind}'][0]:.2g} at {widths[0]:g} and "
        f"{live[f'spread_{kind}'][-1]:.2g} "
        f"at {widths[-1]:g}, largest weight {live[f'largest_{kind}'][0]:.2f} and {live[f'largest_{kind}'][-1]:.2f}"
        for kind, label in kinds.items()
    )
    return Picture(figure, message, f"Against the width of the states. {clauses}.")
