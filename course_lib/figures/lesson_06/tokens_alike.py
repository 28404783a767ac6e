"""How similar the words of a sentence become, layer by layer."""

from __future__ import annotations

from course_lib.experiments.series import Recorded, Series
from course_lib.figures.arms import arm
from course_lib.figures.picture import Picture
from course_lib.figures.style import add_band, entitle, grid, new_figure

_STACKS = (
    ("attention", "attention alone", "nothing"),
    ("with_network", "with feed-forward networks", "network only"),
    ("with_norm", "with norms", "norm only"),
    ("with_residual", "with residuals", "residual only"),
    ("with_all", "with all three, pre-norm", "pre-norm"),
)

#: below this, two words differ only by rounding
_LEAST = 1e-16


def tokens_alike(live: Series, recorded: Recorded) -> Picture:
    """Draw one line per stack: how much the words of a sentence differ, by depth.

    Args:
        live: ``depth`` and, by stack, the share of the words' norm that remains after subtracting their mean.
        recorded: the same over several seeds.
    """
    figure, (axes,) = new_figure(9, 4.4)
    depths = live["depth"]
    for name, label, around in _STACKS:
        look, band = arm(around) or {}, recorded[name]
        low, high = ([max(value, _LEAST) for value in values] for values in (band.low, band.high))
        add_band(axes, depths, low, high, look["color"])
        shown = [max(value, _LEAST) for value in live[name]]
        axes.plot(depths, shown, label=label, **look)
    axes.set_yscale("log")
    axes.set_ylim(_LEAST / 3, 5)
    axes.set_xticks(depths)
    axes.set_xlabel("layers")
    axes.set_ylabel("what distinguishes the words\n(share of their norm)")
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize=11)
    grid(axes)
    message = (
        f"What still distinguishes the words after {depths[-1]:g} layers:\n"
        f"{live['attention'][-1]:.0e} with attention alone, "
        f"{live['with_residual'][-1]:.0%} with residuals, {live['with_all'][-1]:.0%} with all three"
    )
    entitle(figure, message)
    clauses = "; ".join(
        f"{label}: {live[n][1]:.2g} after one layer, {live[n][-1]:.2g} at the end" for n, label, _ in _STACKS
    )
    return Picture(figure, message, f"The share of the words' norm that is not their mean's, by depth. {clauses}.")
