"""How large a gradient is, by the number of layers it went back through."""

from __future__ import annotations

from course_lib.experiments.series import Recorded, Series
from course_lib.figures.arms import arm
from course_lib.figures.picture import Picture
from course_lib.figures.style import GREY, add_series, entitle, grid, new_figure

_STACKS = (
    ("neither", "F(x)", "nothing"),
    ("norm", "F(norm(x))", "norm only"),
    ("residual", "x + F(x)", "residual only"),
    ("both", "x + F(norm(x)), pre-norm", "pre-norm"),
    ("post", "norm(x + F(x)), post-norm", "post-norm"),
)


def gradient_by_layer(live: Series, recorded: Recorded) -> Picture:
    """Draw one line per kind of stack: the gradient norm, by the number of layers it has passed.

    Args:
        live: ``layers_back`` and, by stack, the gradient's norm.
        recorded: the same over several seeds.
    """
    figure, (axes,) = new_figure(9, 4.4)
    back = live["layers_back"]
    for name, label, around in _STACKS:
        look = arm(around) or {}
        add_series(axes, back, live[name], recorded[name], label=label, **look)
    axes.axhline(1, color=GREY, linewidth=1, linestyle=":")
    axes.set_yscale("log")
    axes.set_xticks(back)
    axes.set_xlabel("layers back from the output")
    axes.set_ylabel("norm of the gradient")
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize=11)
    grid(axes)
    message = (
        f"{back[-1]:g} layers back, a gradient of norm 1 has become {live['neither'][-1]:.0e} with nothing around F,\n"
        f"{live['residual'][-1]:.0e} with residuals, {live['both'][-1]:.2g} with pre-norm, "
        f"{live['post'][-1]:.2g} with post-norm"
    )
    entitle(figure, message)
    clauses = "; ".join(
        f"{label}: {live[n][1]:.2g} after one layer, {live[n][-1]:.2g} after all" for n, label, _ in _STACKS
    )
    return Picture(figure, message, f"The norm of a gradient that starts at 1, by layers back. {clauses}.")
