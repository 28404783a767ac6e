"""The time of several heads relative to that of one."""

from __future__ import annotations

from collections.abc import Mapping

from course_lib.experiments.series import Recorded, Series
from course_lib.figures.picture import Picture
from course_lib.figures.style import add_series, entitle, grid, legend, look_of, new_figure


def time_ratio(live: Mapping[str, Series], recorded: Mapping[str, Recorded], num_heads: int) -> Picture:
    """Draw one line per width: the time of ``num_heads`` heads as a multiple of one head's, by sentence length.

    Args:
        live: ``length`` and ``ratio``, by name.
        recorded: the same, measured several times on another machine.
        num_heads: H.
    """
    figure, (axes,) = new_figure(8.5, 3.9)
    for place, (name, series) in enumerate(live.items()):
        add_series(axes, series["length"], series["ratio"], recorded[name]["ratio"], label=name, **look_of(place))
    lengths = next(iter(live.values()))["length"]
    axes.axhline(1, color="#6B6B6B", linewidth=1, linestyle=":")
    axes.text(lengths[-1], 1, "equal time", va="bottom", ha="right", fontsize=11, color="#4A4A4A")
    axes.set_xscale("log", base=2)
    axes.set_xticks(lengths, [f"{length:g}" for length in lengths])
    axes.set_yscale("log", base=2)
    axes.set_yticks([1, 2, 4, 8, 16], ["1", "2", "4", "8", "16"])
    axes.minorticks_off()
    axes.set_xlabel("tokens in a sentence, $T$")
    axes.set_ylabel(f"time of {num_heads} heads / time of one")
    legend(axes, "upper left")
    grid(axes)
    longest = ", ".join(f"{series['ratio'][-1]:.1f} ({name})" for name, series in live.items())
    message = f"{num_heads} heads over one in time, at {lengths[-1]:g} tokens: {longest}"
    entitle(figure, message)
    clauses = "; ".join(
        f"{name}: " + ", ".join(f"{r:.2f} at {n:g} tokens" for n, r in zip(s["length"], s["ratio"], strict=True))
        for name, s in live.items()
    )
    return Picture(figure, message, f"Time of {num_heads} heads over the time of one. {clauses}.")
