"""The effect of removing each head alone."""

from __future__ import annotations

from collections.abc import Mapping

from course_lib.experiments.series import Interval
from course_lib.figures.picture import Picture
from course_lib.figures.style import BLUE, entitle, new_figure

#: a smaller rise of the loss hardly counts
_LITTLE = 0.01


def head_effects(live: Mapping[str, float], recorded: Interval) -> Picture:
    """Draw one row per head: how much the loss per word rises without it.

    Args:
        live: the rise by the name of each head.
        recorded: the same for the translator that comes with the course, over several samples of sentences.
    """
    figure, (axes,) = new_figure(9, 1.2 + 0.27 * len(live))
    rows = range(len(live))
    axes.hlines(rows, recorded.low, recorded.high, color=BLUE, linewidth=6, alpha=0.25)
    axes.plot(list(live.values()), rows, linestyle="", marker="o", markersize=7, color=BLUE)
    axes.axvline(0, color="#6B6B6B", linewidth=1)
    axes.set_yticks(rows, list(live))
    axes.set_ylim(len(live) - 0.4, -0.6)
    axes.set_xlabel("rise of the loss of a word without this head (nats)")
    axes.set_ylabel("head")
    most = max(live, key=lambda name: live[name])
    few = sum(effect < _LITTLE for effect in live.values())
    message = f"Missed most: {most} (+{live[most]:.2f} nats); {few} of {len(live)} heads cost less than {_LITTLE}"
    entitle(figure, message)
    told = "; ".join(f"{name}: {effect:+.3f}" for name, effect in live.items())
    return Picture(figure, message, f"Rise of the loss of a word without each head, in nats. {told}.")
