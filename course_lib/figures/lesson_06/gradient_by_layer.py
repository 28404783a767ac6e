"""How large a gradient is, by the number of layers it went back through."""

from __future__ import annotations

from course_lib.experiments.encoder_block import AROUND
from course_lib.experiments.series import Recorded, Series
from course_lib.figures.arms import arm
from course_lib.figures.picture import Picture
from course_lib.figures.style import GREY, add_series, entitle, grid, listed, new_figure


def gradient_by_layer(live: Series, recorded: Recorded) -> Picture:
    """Draw one line per kind of stack: the gradient norm, by the number of layers it has passed.

    Args:
        live: ``layers_back`` and, by stack, the gradient's norm.
        recorded: the same over several seeds.
    """
    figure, (axes,) = new_figure(9, 4.4)
    back = live["layers_back"]
    for name, label in AROUND.items():
        look = arm(label) or {}
        add_series(axes, back, live[name], recorded[name], label=label, **look)
    axes.axhline(1, color=GREY, linewidth=1, linestyle=":")
    axes.set_yscale("log")
    axes.set_xticks(back)
    axes.set_xlabel("layers back from the output")
    axes.set_ylabel("norm of the gradient")
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize=11)
    grid(axes)
    gone = [label for name, label in AROUND.items() if live[name][-1] < 0.01]
    huge = [label for name, label in AROUND.items() if live[name][-1] > 100]
    ends = [f"{verb} with {listed(labels)}" for verb, labels in (("vanished", gone), ("exploded", huge)) if labels]
    happened = "\nand ".join(ends) or "neither vanished nor exploded"
    message = f"{back[-1]:g} layers back, the gradient has {happened}"
    entitle(figure, message)
    clauses = "; ".join(
        f"{label}: {live[n][1]:.2g} after one layer, {live[n][-1]:.2g} after all" for n, label in AROUND.items()
    )
    return Picture(figure, message, f"The norm of a gradient that starts at 1, by layers back. {clauses}.")
