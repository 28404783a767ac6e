"""How a gradient's norm changes with the number of steps it goes back in time."""

from __future__ import annotations

import math
from collections.abc import Mapping

from course_lib.experiments.series import Recorded, Series
from course_lib.figures.picture import Picture
from course_lib.figures.style import add_series, entitle, grid, legend, look_of, new_figure


def gradient_by_distance(live: Mapping[str, Series], recorded: Mapping[str, Recorded], amount: str) -> Picture:
    """Draw one panel per network, one line per value of the varied quantity.

    Args:
        live: by the network's name, ``distance`` and, for each value, the gradient's norm.
        recorded: the same over several seeds.
        amount: the varied quantity, as the legend calls it: ``"gain"``.
    """
    figure, panels = new_figure(5.5 * max(len(live), 1.4), 4.2, columns=len(live), sharey=True)
    for axes, (network, series) in zip(panels, live.items(), strict=True):
        distances = series["distance"]
        for place, (name, lengths) in enumerate((k, v) for k, v in series.items() if k != "distance"):
            interval = recorded[network][name]
            add_series(axes, distances, lengths, interval, label=f"{amount} {name}", **look_of(place))
        axes.axhline(1, color="#6B6B6B", linewidth=1, linestyle=":")
        axes.set_yscale("log")
        axes.set_title(network)
        axes.set_xlabel("steps back")
        grid(axes)
    panels[0].set_ylabel("norm of the gradient")
    legend(panels[0], "lower left")
    furthest = next(iter(live.values()))["distance"][-1]
    ends = {
        network: ", ".join(f"{_power(lengths[-1])} at {name}" for name, lengths in series.items() if name != "distance")
        for network, series in live.items()
    }
    message = f"What is left of a gradient of norm 1 after {furthest:g} steps back, by {amount}\n" + "\n".join(
        f"{network}: {end}" for network, end in ends.items()
    )
    entitle(figure, message)
    clauses = "; ".join(
        f"{network}, {amount} {name}: "
        + ", ".join(f"{length:.1e} after {d:g}" for d, length in zip(series["distance"], lengths, strict=True) if d)
        for network, series in live.items()
        for name, lengths in series.items()
        if name != "distance"
    )
    return Picture(figure, message, f"Norm of a gradient that starts at 1, by steps back. {clauses}.")


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def _power(number: float) -> str:
    """Write the number as a power of ten if it is far from 1: 10⁻²²."""
    if 0.001 <= number <= 1000:
        return f"{number:.2g}"
    return "10" + str(round(math.log10(number))).translate(_RAISED)
