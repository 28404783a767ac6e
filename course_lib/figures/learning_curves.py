"""Loss by training step, for several ways to compute one thing."""

from __future__ import annotations

import math
from collections.abc import Mapping

from course_lib.experiments.series import Recorded, Series
from course_lib.figures.arms import arm
from course_lib.figures.picture import Picture
from course_lib.figures.style import CYCLE, DASHES, add_series, entitle, grid, legend, new_figure


def learning_curves(
    live: Mapping[str, Series], recorded: Mapping[str, Recorded], chance: float, goal: float | None = None
) -> Picture:
    """Draw one curve per run; a shaded band shows several seeds.

    Args:
        live: ``step`` and ``loss``, by the run's name.
        recorded: the same over several seeds.
        chance: the loss of uniform guessing.
        goal: if given, the title says when each run's loss falls below it.
    """
    figure, (axes,) = new_figure(8, 4)
    for place, (name, series) in enumerate(live.items()):
        look = arm(name) or {"color": CYCLE[place], "linestyle": DASHES[place]}
        line = {"color": look["color"], "linestyle": look["linestyle"], "label": name}
        add_series(axes, series["step"], series["loss"], recorded[name]["loss"], **line)
    axes.axhline(chance, color="#6B6B6B", linewidth=1, linestyle=":")
    last_step = max(series["step"][-1] for series in live.values())
    axes.text(last_step, chance, "guessing", va="bottom", ha="right", fontsize=11, color="#4A4A4A")
    axes.set_xlabel("training step")
    axes.set_ylabel("loss (cross-entropy, nats)")
    losses = [loss for series in live.values() for loss in series["loss"]]
    if min(losses) < max(losses) / 2:  # otherwise small differences would not be visible
        axes.set_ylim(bottom=0)
    legend(axes)
    grid(axes)
    ends = ", ".join(f"{series['loss'][-1]:.2f} ({name})" for name, series in live.items())
    message = f"The loss after {last_step:g} steps:{' ' if len(ends) < 45 else chr(10)}{ends}"
    if goal is not None:
        message = _message_by(goal, live)
    entitle(figure, message)
    starts = "; ".join(f"{name} from {s['loss'][0]:.2f} to {s['loss'][-1]:.2f}" for name, s in live.items())
    return Picture(figure, message, f"Loss against training step: {starts}. Guessing evenly costs {chance:.2f}.")


def _message_by(goal: float, live: Mapping[str, Series]) -> str:
    """Say after how many steps each run's loss is below the goal, and which runs never get there."""
    reached: dict[str, float] = {}
    for name, series in live.items():
        below = (step for step, loss in zip(series["step"], series["loss"], strict=True) if loss < goal)
        reached[name] = next(below, math.inf)
    names = sorted(reached, key=lambda name: reached[name])
    steps = ", ".join(f"{reached[name]:g} ({name})" for name in names if reached[name] < math.inf)
    never = " and ".join(name for name in names if reached[name] == math.inf)
    return "; ".join(
        filter(None, (steps and f"Below a loss of {goal:g} after {steps} steps", never and f"never: {never}"))
    )
