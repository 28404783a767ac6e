"""How long a gradient still is, so many layers back."""

from __future__ import annotations

from course_lib.experiments.series import Recorded, Series
from course_lib.figures.picture import Picture
from course_lib.figures.style import CYCLE, DASHES, MARKERS, add_band, entitle, grid, new_figure

_STACKS = (
    ("neither", "F(x)"),
    ("norm", "F(norm(x))"),
    ("residual", "x + F(x)"),
    ("both", "x + F(norm(x)), pre-norm"),
    ("post", "norm(x + F(x)), post-norm"),
)


def gradient_by_layer(live: Series, recorded: Recorded) -> Picture:
    """One line a kind of stack: the length of the gradient, against the number of layers it has passed.

    Args:
        live: ``layers_back`` and, by stack, the gradient's length.
        recorded: the same over several seeds.
    """
    figure, (axes,) = new_figure(9, 4.4)
    back = live["layers_back"]
    for place, (name, label) in enumerate(_STACKS):
        color = CYCLE[place]
        add_band(axes, back, recorded[name].low, recorded[name].high, color)
        axes.plot(back, live[name], color=color, marker=MARKERS[place], linestyle=DASHES[place], label=label)
    axes.axhline(1, color="#6B6B6B", linewidth=1, linestyle=":")
    axes.set_yscale("log")
    axes.set_xticks(back)
    axes.set_xlabel("layers back from the output")
    axes.set_ylabel("length of the gradient")
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize=11)
    grid(axes)
    message = (
        f"{back[-1]:g} layers back, a gradient of 1 has become {live['neither'][-1]:.0e} as it is,\n"
        f"{live['residual'][-1]:.0e} with residuals, {live['both'][-1]:.2g} with residuals and norms"
    )
    entitle(figure, message)
    clauses = "; ".join(
        f"{label}: {live[n][1]:.2g} after one layer, {live[n][-1]:.2g} after all" for n, label in _STACKS
    )
    return Picture(figure, message, f"Length of a gradient of 1 by layers back. {clauses}.")
