"""How much weight each key of a row gets when it is the right one."""

from __future__ import annotations

from collections.abc import Mapping

from course_lib.experiments.series import Recorded, Series
from course_lib.figures.picture import Picture
from course_lib.figures.style import add_series, entitle, grid, legend, look_of, new_figure


def weight_by_number(live: Mapping[str, Series], recorded: Mapping[str, Recorded]) -> Picture:
    """Draw one line per kind of score.

    Args:
        live: ``number`` and ``weight``, by the score's name.
        recorded: the same over several seeds.
    """
    figure, (axes,) = new_figure(8, 3.8)
    for place, (name, series) in enumerate(live.items()):
        add_series(axes, series["number"], series["weight"], recorded[name]["weight"], label=name, **look_of(place))
    numbers = next(iter(live.values()))["number"]
    axes.axhline(1 / len(numbers), color="#6B6B6B", linewidth=1, linestyle=":")
    axes.text(numbers[0], 1 / len(numbers), "even weights", va="top", fontsize=11, color="#4A4A4A")
    axes.set_xticks(numbers)
    axes.set_xlabel("the number that is asked for")
    axes.set_ylabel("weight of its key")
    axes.set_ylim(0, 1.05)
    legend(axes, "center")
    grid(axes)
    worst = {name: min(series["weight"]) for name, series in live.items()}
    found = [name for name, weight in worst.items() if weight > 0.5]
    if len(found) == 1:
        message = f"Only the {found[0]} score finds every number"
    else:
        weights = ", ".join(f"{name} {weight:.2f}" for name, weight in worst.items())
        message = f"Weight of the key hardest to find:\n{weights}"
    entitle(figure, message)
    clauses = "; ".join(
        f"{name}: " + ", ".join(f"{w:.2f} for {n:g}" for n, w in zip(s["number"], s["weight"], strict=True))
        for name, s in live.items()
    )
    return Picture(figure, message, f"Weight of the right key by the number asked for. {clauses}.")
