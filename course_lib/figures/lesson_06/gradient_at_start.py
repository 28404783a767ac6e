"""The gradient of the last and the first layer before training, by the depth of the stack."""

from __future__ import annotations

from course_lib.experiments.series import Recorded, Series
from course_lib.figures.arms import arm
from course_lib.figures.picture import Picture
from course_lib.figures.style import add_series, entitle, grid, legend, new_figure

_NORMS = (("post", "post-norm"), ("pre", "pre-norm"))
_PANELS = (("", "the last layer"), ("_first", "the first layer"))


def gradient_at_start(live: Series, recorded: Recorded) -> Picture:
    """Draw one panel per layer, the last and the first: the gradient norm of ``w_2``, by depth.

    Args:
        live: ``depth``, ``post``, ``pre``, ``post_first`` and ``pre_first``.
        recorded: the same over several seeds.
    """
    depths = live["depth"]
    figure, panels = new_figure(10, 4, columns=2, sharey=True)
    for axes, (suffix, heading) in zip(panels, _PANELS, strict=True):
        for norm, label in _NORMS:
            look, band = arm(label) or {}, recorded[norm + suffix]
            add_series(axes, depths, live[norm + suffix], band, label=label, **look)
        axes.set_title(heading)
        axes.set_xscale("log", base=2)
        axes.set_xticks(depths, [f"{depth:g}" for depth in depths])
        axes.minorticks_off()
        axes.set_xlabel("layers of the stack")
        axes.set_ylim(bottom=0)
        grid(axes)
    panels[0].set_ylabel("norm of the gradient of $W_2$")
    legend(panels[0], "upper left")
    ends = {norm: (live[norm][0], live[norm][-1]) for norm, _ in _NORMS}
    message = (
        f"The last layer's gradient before training, of {depths[0]:g} layers and of {depths[-1]:g}:\n"
        + ", ".join(f"{label} {ends[norm][0]:.2f} and {ends[norm][1]:.2f}" for norm, label in _NORMS)
    )
    entitle(figure, message)
    clauses = "; ".join(
        f"{heading}, {label}: "
        + ", ".join(f"{v:.2f} at {d:g}" for d, v in zip(depths, live[norm + suffix], strict=True))
        for suffix, heading in _PANELS
        for norm, label in _NORMS
    )
    return Picture(figure, message, f"The norm of the gradient of the network's second matrix, by depth. {clauses}.")
