"""The loss by training time in seconds, for several models."""

from __future__ import annotations

from collections.abc import Mapping

from course_lib.experiments.series import Series
from course_lib.figures.picture import Picture
from course_lib.figures.style import CYCLE, DASHES, entitle, grid, legend, new_figure


def loss_by_time(histories: Mapping[str, Series]) -> Picture:
    """Draw one curve per model.

    Args:
        histories: ``seconds`` and ``loss``, as returned by `History.averaged`, by the model's name.
    """
    figure, (axes,) = new_figure(8, 3.8)
    for place, (name, series) in enumerate(histories.items()):
        axes.plot(series["seconds"], series["loss"], color=CYCLE[place], linestyle=DASHES[place], label=name)
    axes.set_xlabel("seconds of CPU time")
    axes.set_ylabel("loss (nats per token, log scale)")
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter("")
    legend(axes)
    grid(axes)
    ends = ", ".join(f"{name} {series['loss'][-1]:.2f}" for name, series in histories.items())
    message = f"The loss when time is up: {ends}"
    entitle(figure, message)
    described = "; ".join(
        f"{name} from {s['loss'][0]:.2f} to {s['loss'][-1]:.2f} in {s['seconds'][-1]:.0f} seconds"
        for name, s in histories.items()
    )
    return Picture(figure, message, f"Training loss against seconds of CPU time: {described}.")
