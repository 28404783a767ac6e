"""How similar the words of a sentence become, layer by layer."""

from __future__ import annotations

from course_lib.experiments.encoder_block import AROUND
from course_lib.experiments.series import Recorded, Series
from course_lib.figures.arms import arm
from course_lib.figures.picture import Picture
from course_lib.figures.style import add_band, entitle, grid, listed, new_figure

#: below this, two words differ only by rounding
_LEAST = 1e-16
#: above this share, words still differ
_APART = 0.01


def tokens_alike(live: Series, recorded: Recorded) -> Picture:
    """Draw one line per stack: how much the words of a sentence differ, by depth.

    Args:
        live: ``depth`` and, by stack, the share of the words' norm that remains after subtracting their mean.
        recorded: the same over several seeds.
    """
    figure, (axes,) = new_figure(9, 4.4)
    depths = live["depth"]
    for name, label in AROUND.items():
        look, band = arm(label) or {}, recorded[name]
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
    apart = [label for name, label in AROUND.items() if live[name][-1] > _APART]
    alike = [label for label in AROUND.values() if label not in apart]
    message = f"{depths[-1]:g} layers keep the words apart with {listed(apart) if apart else 'no stack'}"
    if alike:
        message += f",\nand make them alike with {listed(alike)}"
    entitle(figure, message)
    clauses = "; ".join(
        f"{label}: {live[n][1]:.2g} after one layer, {live[n][-1]:.2g} at the end" for n, label in AROUND.items()
    )
    return Picture(figure, message, f"The share of the words' norm that is not their mean's, by depth. {clauses}.")
