"""The loss along a line through trained weights."""

from __future__ import annotations

from course_lib.experiments.series import Recorded, Series
from course_lib.figures.arms import arm
from course_lib.figures.picture import Picture
from course_lib.figures.style import GREY, add_series, entitle, grid, new_figure

_STACKS = (("with_sum", "x + F(norm(x))", "pre-norm"), ("without", "F(norm(x))", "norm only"))


def loss_slice(live: Series, recorded: Recorded, chance: float) -> Picture:
    """Draw two lines, with and without residual connections: the loss, by how far the weights have moved.

    Args:
        live: ``along``, ``with_sum`` and ``without``.
        recorded: the same over several seeds.
        chance: the loss of guessing.
    """
    figure, (axes,) = new_figure(9, 4)
    for name, label, around in _STACKS:
        look = {**(arm(around) or {}), "marker": ""}
        add_series(axes, live["along"], live[name], recorded[name], label=label, **look)
    axes.axhline(chance, color=GREY, linewidth=1, linestyle=":")
    axes.set_xlabel("how far the weights have moved along a random line (1: each row by its own length)")
    axes.set_ylabel("loss (nats a word)")
    axes.set_ylim(bottom=0)
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize=11)
    grid(axes)
    message = (
        f"One valley each: its bottom is at {min(live['with_sum']):.2f} with residual connections,\n"
        f"and at {min(live['without']):.2f} without, where guessing is at {chance:.2f}"
    )
    entitle(figure, message)
    middle = len(live["along"]) // 2
    places = (0, middle, -1)
    clauses = "; ".join(
        f"{label}: {' '.join(f'{live[name][place]:.2f}' for place in places)}" for name, label, _ in _STACKS
    )
    return Picture(figure, message, f"The loss at one end of the line, in its middle and at the other end. {clauses}.")
