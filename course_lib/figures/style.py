"""One look for all figures: readable sizes, and colours that colour-blind readers can distinguish."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from course_lib.experiments.series import Interval

# Okabe and Ito 2008, without the yellow, which is too pale for a line on white
BLUE, ORANGE, GREEN, RED, PURPLE, SKY, GREY = (
    "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#6B6B6B",
)  # fmt: skip
CYCLE = (BLUE, RED, GREEN, PURPLE, ORANGE, SKY)

#: lines differ in marker and dash too, so that a grey print is readable
MARKERS = ("o", "s", "^", "D", "v", "P")
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (1, 1)))

#: the width of a letter of a title, in inches: 14 points, bold
TITLE_LETTER = 0.115

LOOK: dict[str, Any] = {
    "figure.facecolor": "white",
    "font.size": 12,
    "axes.titlesize": 12,
    "axes.labelsize": 12,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "figure.titlesize": 14,
    "lines.linewidth": 2.2,
    "lines.markersize": 6,
    "xtick.labelsize": 11,
    "ytick.labelsize": 11,
}


def new_figure(width: float, height: float, columns: int = 1, **settings: Any) -> tuple[Figure, list[Axes]]:
    """Return a figure in the course's look, and its axes from left to right.

    Args:
        width: the width in inches.
        height: the height in inches.
        columns: number of panels side by side.
        settings: passed on to ``Figure.subplots``, for instance ``sharey=True``.
    """
    # imported only if something is drawn: a notebook that is graded draws nothing
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    with rc_context(LOOK):
        figure = Figure(figsize=(width, height), layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1))
        axes = figure.subplots(1, columns, squeeze=False, **settings)[0]
    return figure, list(axes)


def entitle(figure: Figure, title: str) -> None:
    """Put the figure's message above it, at the left, where reading starts, on as many lines as needed."""
    room = int(figure.get_size_inches()[0] / TITLE_LETTER)
    whole = re.sub(r"\S+ \([^)]{,30}\)", lambda inside: inside[0].replace(" ", "\xa0"), title)  # stays on one line
    title = "\n".join(textwrap.fill(line, room) for line in whole.splitlines())
    figure.suptitle(title, x=0.01, ha="left", fontweight="bold", fontsize=LOOK["figure.titlesize"])


def add_band(axes: Axes, x: Sequence[float], low: Sequence[float], high: Sequence[float], color: str) -> None:
    """Shade the interval that was measured over several seeds."""
    axes.fill_between(x, low, high, color=color, alpha=0.18, linewidth=0)


def look_of(number: int) -> dict[str, Any]:
    """Return the colour, marker and dash of a figure's line, by its number."""
    return {"color": CYCLE[number], "marker": MARKERS[number], "linestyle": DASHES[number]}


def add_series(axes: Axes, x: Sequence[float], y: Sequence[float], recorded: Interval, **look: Any) -> None:
    """Draw a line over the interval that was measured over several seeds.

    Args:
        look: passed on to ``Axes.plot``; its ``color`` is also that of the interval.
    """
    add_band(axes, x, recorded.low, recorded.high, look["color"])
    axes.plot(x, y, **look)


def widths_axis(axes: Axes, widths: Sequence[float]) -> None:
    """Make the axis logarithmic with one tick per width: 4, 8, 16, …"""
    axes.set_xscale("log", base=2)
    axes.set_xticks(widths, [f"{width:g}" for width in widths])
    axes.minorticks_off()
    axes.set_xlabel("width of queries and keys, $d_k$")


def legend(axes: Axes, place: str = "best", **look: Any) -> None:
    """Name the lines and, if there are any, the bands, without a box around the names."""
    from matplotlib.collections import PolyCollection
    from matplotlib.patches import Patch

    handles, _ = axes.get_legend_handles_labels()
    if any(isinstance(drawn, PolyCollection) for drawn in axes.collections):
        handles.append(Patch(color=GREY, alpha=0.3, linewidth=0, label="lowest to highest of our runs"))
    axes.legend(handles=handles, loc=place, frameon=False, fontsize=11, **look)


def listed(names: Iterable[str]) -> str:
    """Return names as a list in a sentence; ``LSTM, forget bias 1`` becomes ``LSTM with forget bias 1``."""
    shown = [name.replace(", ", " with ") for name in names]
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))


def grid(axes: Axes) -> None:
    """Draw faint horizontal lines for reading values."""
    axes.grid(axis="y", color="#DDDDDD", linewidth=0.8)
