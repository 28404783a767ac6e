"""How long different decoders take to write a number of tokens."""

from __future__ import annotations

from course_lib.experiments.series import Recorded, Series
from course_lib.figures.picture import Picture
from course_lib.figures.style import CYCLE, DASHES, MARKERS, add_band, entitle, grid, legend, new_figure


def decoding_time(live: Series, recorded: Recorded) -> Picture:
    """Draw one line per decoder: CPU time from the first token on, by the number of tokens written.

    Args:
        live: ``length``, and seconds by the decoder's name.
        recorded: the same, measured several times on another machine.
    """
    figure, (axes,) = new_figure(8.5, 4)
    names = [name for name in live if name != "length"]
    for place, name in enumerate(names):
        interval = recorded[name]
        milliseconds = [[1000 * second for second in seconds] for seconds in (live[name], interval.low, interval.high)]
        add_band(axes, recorded["length"].median, milliseconds[1], milliseconds[2], CYCLE[place])
        axes.plot(
            live["length"],
            milliseconds[0],
            color=CYCLE[place],
            marker=MARKERS[place],
            linestyle=DASHES[place],
            label=name,
        )
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(live["length"], [f"{length:g}" for length in live["length"]])
    axes.minorticks_off()
    axes.set_xlabel("tokens written")
    axes.set_ylabel("CPU time so far (milliseconds)")
    legend(axes, "upper left")
    grid(axes)
    ratio = live["recomputed"][-1] / live["cached"][-1]
    message = f"At {live['length'][-1]:g} tokens, reading everything again takes {ratio:.1f} times as long"
    entitle(figure, message)
    clauses = "; ".join(
        f"{name}: " + ", ".join(f"{s:.3f} s for {n:g} tokens" for n, s in zip(live["length"], live[name], strict=True))
        for name in names
    )
    return Picture(figure, message, f"CPU time until so many tokens are written. {clauses}.")
