"""How good and how varied a language model's sentences are, by the way its words are chosen."""

from __future__ import annotations

from collections.abc import Sequence

from course_lib.experiments.series import Recorded, Series
from course_lib.figures.picture import Picture
from course_lib.figures.style import entitle, legend, look_of, new_figure

SERIES = ("well formed", "different")


def quality_and_variety(live: Series, recorded: Recorded, names: Sequence[str]) -> Picture:
    """Draw one row per way to choose, with two points: the share that is well formed, and the share that is different.

    Args:
        live: ``well formed`` and ``different``, shares of sentences; the first entry is the corpus itself.
        recorded: the same over several seeds.
        names: the names of the other entries.
    """
    rows = ["the corpus itself", *names]
    figure, (axes,) = new_figure(9, 1.6 + 0.3 * len(rows))
    places = range(len(rows))
    axes.hlines(places, live["well formed"], live["different"], color="#BBBBBB", linewidth=1.5)
    for number, name in enumerate(SERIES):
        look = {**look_of(number), "linestyle": ""}
        band = recorded[name]
        axes.hlines(places, band.low, band.high, color=look["color"], linewidth=7, alpha=0.25)
        axes.plot(live[name], places, label=name, markersize=8, **look)
    axes.set_yticks(places, rows)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlim(0, 1.03)
    axes.set_xlabel("share of sentences")
    axes.set_ylabel("how words are chosen")
    legend(axes, "center left")
    well, different = (live[name] for name in SERIES)
    best = max(range(1, len(well)), key=lambda i: well[i] + different[i])
    plain = 1 + list(names).index("temperature 1.0")
    message = (
        f"Well formed and different: {well[best]:.0%} and {different[best]:.0%} with {names[best - 1]}, "
        f"{well[plain]:.0%} and {different[plain]:.0%} with {names[plain - 1]}"
    )
    entitle(figure, message)
    told = "; ".join(f"{name}: {well[i]:.2f} and {different[i]:.2f}" for i, name in enumerate(rows))
    return Picture(
        figure,
        message,
        f"Shares of sentences that are well formed, and that are left once repetitions are struck out. {told}.",
    )
