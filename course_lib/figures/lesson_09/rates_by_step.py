"""The learning rate over the course of training, for several schedules."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from course_lib.figures.picture import Picture
from course_lib.figures.style import CYCLE, DASHES, entitle, grid, legend, new_figure


def rates_by_step(schedules: Mapping[str, Callable[[int], float]], steps: int) -> Picture:
    """Draw one curve per schedule, its peak marked.

    Args:
        schedules: the learning rate of a step, counted from 1, by the schedule's name.
        steps: the last step to draw.
    """
    figure, (axes,) = new_figure(8, 3.8)
    shown = list(range(1, steps + 1, max(1, steps // 2400)))
    peaks = {}
    for place, (name, schedule) in enumerate(schedules.items()):
        rates = [schedule(step) for step in shown]
        highest = max(range(len(rates)), key=rates.__getitem__)
        peaks[name] = rates[highest]
        axes.plot(shown, rates, color=CYCLE[place], linestyle=DASHES[place], label=name)
        axes.plot(shown[highest], rates[highest], color=CYCLE[place], marker="o")
    axes.set_xlabel("training step")
    axes.set_ylabel("learning rate")
    axes.set_ylim(bottom=0)
    legend(axes)
    grid(axes)
    message = "The peak: " + ", ".join(f"{peak:.2g} with {name}" for name, peak in peaks.items())
    entitle(figure, message)
    clauses = "; ".join(
        f"{name}: it rises to {peak:.2g} and is {schedules[name](steps):.2g} at step {steps:,}"
        for name, peak in peaks.items()
    )
    return Picture(figure, message, f"Learning rate against training step. {clauses}.")
