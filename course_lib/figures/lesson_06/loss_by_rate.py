"""The loss after training, by learning rate: which rates train a stack."""

from __future__ import annotations

import math
from collections.abc import Mapping

from course_lib.experiments.series import Recorded
from course_lib.figures.arms import arm
from course_lib.figures.picture import Picture
from course_lib.figures.style import CYCLE, DASHES, GREY, MARKERS, add_series, entitle, grid, new_figure

#: a loss below this share of guessing's counts as trained
TRAINED = 0.1


def loss_by_rate(recorded: Recorded, labels: Mapping[str, str], chance: float) -> Picture:
    """Draw one line per training method, through the median of several seeds; the band is their range.

    Args:
        recorded: ``rate`` and the final loss by training method.
        labels: labels of the training methods, by name.
        chance: the loss of uniform guessing.
    """
    rates = recorded["rate"].median
    figure, (axes,) = new_figure(9.5, 4.4)
    for place, (name, label) in enumerate(labels.items()):
        look = arm(label) or {"color": CYCLE[place], "marker": MARKERS[place], "linestyle": DASHES[place]}
        interval = recorded[name]
        add_series(axes, rates, interval.median, interval, label=label, **look)
    axes.axhline(chance, color=GREY, linewidth=1, linestyle=":")
    axes.text(
        math.sqrt(rates[0] * rates[-1]), chance, "guessing", va="bottom", ha="center", fontsize=11, color="#4A4A4A"
    )
    axes.set_xscale("log")
    axes.set_xticks(rates, [f"{rate:g}" for rate in rates])
    axes.minorticks_off()
    axes.set_xlabel("learning rate")
    axes.set_ylabel("loss at the end (nats)")
    axes.set_yscale("log")
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize=11)
    grid(axes)
    largest = {name: _largest(recorded, name, TRAINED * chance) for name in labels}
    message = "The largest rate that trains on every seed:\n" + "; ".join(
        f"{label} {largest[name]}" for name, label in labels.items()
    )
    entitle(figure, message)
    clauses = "; ".join(
        f"{label}: "
        + ", ".join(f"{loss:.2f} at {rate:g}" for rate, loss in zip(rates, recorded[name].median, strict=True))
        for name, label in labels.items()
    )
    return Picture(figure, message, f"Loss at the end of training by learning rate, median of the seeds. {clauses}.")


def _largest(recorded: Recorded, name: str, most: float) -> str:
    """Return the largest rate at which the worst seed ends below ``most``."""
    trained = [r for r, loss in zip(recorded["rate"].median, recorded[name].high, strict=True) if loss < most]
    return f"{max(trained):g}" if trained else "none"
