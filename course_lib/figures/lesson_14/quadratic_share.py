"""The share of an encoder layer's time that is quadratic in the length."""

from __future__ import annotations

from course_lib.experiments.series import Recorded, Series
from course_lib.figures.picture import Picture
from course_lib.figures.style import BLUE, GREY, add_series, entitle, grid, legend, new_figure


def quadratic_share(live: Series, recorded: Recorded) -> Picture:
    """Draw the measured and the counted share, by the length as a multiple of the width.

    Args:
        live: ``multiple``, ``measured`` and ``counted``.
        recorded: the same, measured several times on another machine.
    """
    figure, (axes,) = new_figure(8.5, 3.9)
    multiples = live["multiple"]
    axes.plot(multiples, live["counted"], color=GREY, linestyle="--", label="counted: n / (6D + n)")
    add_series(axes, multiples, live["measured"], recorded["measured"], color=BLUE, marker="o", label="measured")
    axes.axhline(0.5, color=GREY, linewidth=1, linestyle=":")
    axes.text(multiples[0], 0.51, "half of the time", fontsize=11, color="#4A4A4A")
    axes.set_xticks(multiples, [f"{multiple:g}D" for multiple in multiples])
    axes.set_ylim(0, 1)
    axes.set_xlabel("length of the sequence, $n$, in multiples of the width $D$")
    axes.set_ylabel("share of scoring and mixing")
    legend(axes, "lower right")
    grid(axes)
    above = [multiple for multiple, share in zip(multiples, live["measured"], strict=True) if share >= 0.5]
    message = (
        f"Scoring and mixing take half of the layer's time from n = {above[0]:g}D on"
        if above
        else f"Even at n = {multiples[-1]:g}D, scoring and mixing take less than half of the layer's time"
    )
    entitle(figure, message)
    told = ", ".join(
        f"{measured:.2f} (counted {counted:.2f}) at n = {multiple:g}D"
        for multiple, measured, counted in zip(multiples, live["measured"], live["counted"], strict=True)
    )
    return Picture(figure, message, f"Measured share of scoring and mixing: {told}.")
