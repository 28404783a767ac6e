"""A share before and after a change, for several models: two marks on each line."""

from __future__ import annotations

from collections.abc import Mapping

from course_lib.experiments.series import Interval
from course_lib.figures.picture import Picture
from course_lib.figures.style import BLUE, RED, entitle, new_figure


def before_and_after(
    before: Mapping[str, Interval], after: Mapping[str, Interval], point: int, labels: tuple[str, str], axis: str
) -> Picture:
    """Draw one row for each model, with both marks and the intervals of several seeds.

    Args:
        before, after: by model, shares in percent.
        point: which entry of the intervals to draw.
        labels: the names of the two marks.
        axis: the label of the axis, in percent.
    """
    figure, (axes,) = new_figure(9, 0.8 + 0.6 * len(before))
    rows = range(len(before))
    sides = ((before, BLUE, "o", labels[0]), (after, RED, "s", labels[1]))
    for row, name in enumerate(before):
        ends = [intervals[name].median[point] for intervals in (before, after)]
        axes.plot(ends, [row, row], color="#BBBBBB", linewidth=1.5, zorder=1)
    for intervals, color, marker, label in sides:
        low, middle, high = (
            [getattr(intervals[name], end)[point] for name in before] for end in ("low", "median", "high")
        )
        axes.hlines(rows, low, high, color=color, linewidth=4, alpha=0.35)
        axes.plot(middle, rows, linestyle="", marker=marker, markersize=9, color=color, label=label)
        for row, value in zip(rows, middle, strict=True):
            axes.annotate(f"{value:.0f}", (value, row), (0, 9), textcoords="offset points", ha="center", fontsize=11)
    axes.set_yticks(rows, list(before))
    axes.set_ylim(len(before) - 0.4, -0.7)
    axes.set_xlim(-3, 103)
    axes.set_xlabel(axis)
    axes.set_ylabel("model")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2, frameon=False, fontsize=11)
    told = "; ".join(
        f"{name}, {before[name].median[point]:.0f} and {after[name].median[point]:.0f} percent" for name in before
    )
    best = [max(intervals, key=lambda name: intervals[name].median[point]) for intervals in (before, after)]
    message = "; ".join(
        f"{label}: at most {intervals[name].median[point]:.0f} % ({name})"
        for label, intervals, name in zip(labels, (before, after), best, strict=True)
    )
    message = message[:1].upper() + message[1:]
    entitle(figure, message)
    return Picture(figure, message, f"Two marks for each model, {labels[0]} and {labels[1]}: {told}. {axis}.")
