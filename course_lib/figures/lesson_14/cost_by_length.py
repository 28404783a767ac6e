"""Time and memory of several ways to read a sequence, by its length."""

from __future__ import annotations

from course_lib.experiments.series import Series, exponent
from course_lib.figures.picture import Picture
from course_lib.figures.style import entitle, grid, look_of, new_figure


def cost_by_length(time: Series, memory: Series) -> Picture:
    """Draw time and memory in two panels, one line per way, on log axes: the slope is the power of the length.

    Args:
        time: ``length``, and by its name the time of each way, relative to its own at the first length.
        memory: the same for its memory in megabytes.
    """
    lengths = time["length"]
    ways = [name for name in time if name != "length"]
    figure, panels = new_figure(11, 4.4, columns=2)
    kinds = (
        (time, f"time (each at {lengths[0]:,g} words: 1)"),
        (memory, "megabytes"),
    )
    for axes, (live, unit) in zip(panels, kinds, strict=True):
        for place, name in enumerate(ways):
            axes.plot(lengths, live[name], label=name, **look_of(place))
        axes.set_xscale("log", base=2)
        axes.set_xticks(lengths, [f"{length:,g}" for length in lengths])
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:g}")
        axes.minorticks_off()
        axes.set_xlabel("length of the sequence, $n$ (words)")
        axes.set_ylabel(unit)
        grid(axes)
    panels[0].set_title("time")
    panels[1].set_title("memory at the peak")
    figure.legend(
        *panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(ways), frameon=False, fontsize=11
    )
    powers = {name: (exponent(lengths, time[name]), exponent(lengths, memory[name])) for name in ways}
    first, *rest = ways
    message = (
        f"{first[0].upper()}{first[1:]}: time grows like $n^{{{powers[first][0]:.1f}}}$, memory like "
        f"$n^{{{powers[first][1]:.1f}}}$; the others' memory like $n^{{{max(powers[name][1] for name in rest):.1f}}}$"
    )
    entitle(figure, message)
    clauses = "; ".join(
        f"{name}: time from {time[name][0]:.2f} to {time[name][-1]:.2f}, power {powers[name][0]:.2f}; "
        f"memory from {memory[name][0]:.1f} to {memory[name][-1]:.1f} megabytes, power {powers[name][1]:.2f}"
        for name in ways
    )
    return Picture(figure, message, f"From {lengths[0]:g} to {lengths[-1]:g} words. {clauses}.")
