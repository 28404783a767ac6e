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
    message = _message(live, amount, furthest)
    entitle(figure, message)
    left = "; ".join(f"{network}, by {amount}: {end}" for network, end in ends.items())
    clauses = "; ".join(
        f"{network}, {amount} {name}: "
        + ", ".join(f"{length:.1e} after {d:g}" for d, length in zip(series["distance"], lengths, strict=True) if d)
        for network, series in live.items()
        for name, lengths in series.items()
        if name != "distance"
    )
    start = f"Norm of a gradient that starts at 1, after {furthest:g} steps back. {left}. By steps back. "
    return Picture(figure, message, f"{start}{clauses}.")


def _message(live: Mapping[str, Series], amount: str, furthest: float) -> str:
    """Say what makes the gradient vanish, if these runs show it, or else what the figure shows."""
    left = {(network, name): norms[-1] for network, series in live.items() for name, norms in series.items()}
    if left.get(("without tanh", "1"), 0) > 0.5 and left["with tanh", "1"] < 1e-6:
        return "With a tanh at every step, the gradient vanishes even at a gain of 1"
    kept = [name for (network, name), norm in left.items() if network == "LSTM" and name != "distance" and norm > 1e-3]
    if len(kept) == 1:
        return f"The LSTM keeps a gradient over {furthest:g} steps only with {amount} {kept[0]}"
    return f"What is left of a gradient of norm 1 after {furthest:g} steps back, by {amount}"


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def _power(number: float) -> str:
    """Write the number as a power of ten if it is far from 1: 10⁻²²."""
    if 0.001 <= number <= 1000:
        return f"{number:.2g}"
    return "10" + str(round(math.log10(number))).translate(_RAISED)
