"""How alike the tokens of a sentence become, layer by layer."""

from __future__ import annotations

from course_lib.experiments.series import Recorded, Series
from course_lib.figures.picture import Picture
from course_lib.figures.style import CYCLE, DASHES, MARKERS, add_band, entitle, grid, new_figure

_STACKS = (
    ("attention", "attention alone"),
    ("with_network", "attention and network"),
    ("with_norm", "attention on normalised tokens"),
    ("with_residual", "attention with residual"),
    ("with_all", "the whole block, pre-norm"),
)

#: below this, rounding is all that tells two tokens apart
_LEAST = 1e-16


def tokens_alike(live: Series, recorded: Recorded) -> Picture:
    """One line a stack: how much tells the tokens of a sentence apart, against the depth.

    Args:
        live: ``depth`` and, by stack, the share of the tokens that is not their mean.
        recorded: the same over several seeds.
    """
    figure, (axes,) = new_figure(9, 4.4)
    depths = live["depth"]
    for place, (name, label) in enumerate(_STACKS):
        color, band = CYCLE[place], recorded[name]
        add_band(axes, depths, [max(v, _LEAST) for v in band.low], [max(v, _LEAST) for v in band.high], color)
        shown = [max(value, _LEAST) for value in live[name]]
        axes.plot(depths, shown, color=color, marker=MARKERS[place], linestyle=DASHES[place], label=label)
    axes.set_yscale("log")
    axes.set_ylim(_LEAST / 3, 5)
    axes.set_xticks(depths)
    axes.set_xlabel("layers")
    axes.set_ylabel("what tells tokens apart\n(share of their length)")
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize=11)
    grid(axes)
    message = (
        f"What tells tokens apart after {depths[-1]:g} layers:\n{live['attention'][-1]:.0e} with attention alone, "
        f"{live['with_residual'][-1]:.0%} with residuals"
    )
    entitle(figure, message)
    clauses = "; ".join(
        f"{label}: {live[n][1]:.2g} after one layer, {live[n][-1]:.2g} at the end" for n, label in _STACKS
    )
    return Picture(figure, message, f"The share of the tokens' length that is not their mean, by depth. {clauses}.")
