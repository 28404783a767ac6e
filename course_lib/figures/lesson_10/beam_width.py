"""What wider beams find, with and without a length penalty."""

from __future__ import annotations

from collections.abc import Mapping

from course_lib.experiments.series import Recorded, Series
from course_lib.figures.picture import Picture
from course_lib.figures.style import CYCLE, DASHES, MARKERS, add_band, entitle, grid, legend, new_figure


def beam_width(live: Mapping[str, Series], recorded: Mapping[str, Recorded]) -> Picture:
    """Draw one line per search: the share of empty translations, and BLEU, by beam width.

    Args:
        live: ``width``, ``empty`` and ``bleu``, by name.
        recorded: the same over several seeds.
    """
    figure, panels = new_figure(10, 3.9, columns=2)
    for place, (name, series) in enumerate(live.items()):
        for axes, what in zip(panels, ("empty", "bleu"), strict=True):
            interval = recorded[name][what]
            add_band(axes, recorded[name]["width"].median, interval.low, interval.high, CYCLE[place])
            axes.plot(
                series["width"],
                series[what],
                color=CYCLE[place],
                marker=MARKERS[place],
                linestyle=DASHES[place],
                label=name,
            )
    widths = max((series["width"] for series in live.values()), key=len)
    for axes, what in zip(panels, ("share of empty translations", "BLEU"), strict=True):
        axes.set_xscale("log", base=2)
        axes.set_xticks(widths, [f"{width:g}" for width in widths])
        axes.minorticks_off()
        axes.set_xlabel("width of the beam")
        axes.set_ylabel(what)
        axes.set_ylim(bottom=0)
        grid(axes)
    panels[0].set_ylim(-0.02, max(0.5, panels[0].get_ylim()[1]))
    legend(panels[0], "upper left")
    message = f"Empty translations at width {widths[-1]:g}: " + ", ".join(
        f"{series['empty'][-1]:.0%} by the {name}" for name, series in live.items()
    )
    entitle(figure, message)
    clauses = "; ".join(
        f"{name}: "
        + ", ".join(
            f"at width {width:g} {empty:.2f} empty, BLEU {bleu:.1f}"
            for width, empty, bleu in zip(series["width"], series["empty"], series["bleu"], strict=True)
        )
        for name, series in live.items()
    )
    return Picture(figure, message, f"Share of empty translations and BLEU, by the width of the beam. {clauses}.")
