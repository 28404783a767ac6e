"""How many labels a task needs, from scratch and after pretraining."""

from __future__ import annotations

from course_lib.experiments.series import Recorded, Series
from course_lib.figures.picture import Picture
from course_lib.figures.style import add_series, entitle, grid, legend, look_of, new_figure


def few_labels(live: Series, recorded: Recorded) -> Picture:
    """Draw one line per way to learn: the share that is right, by the number of labelled sentences.

    Args:
        live: ``sentences``, and a share for each way, by its name.
        recorded: the same over several seeds; may have more sentences.
    """
    figure, (axes,) = new_figure(8.5, 4)
    counts = live["sentences"]
    at = [recorded["sentences"].median.index(count) for count in counts]
    ways = [name for name in live if name != "sentences"]
    for place, name in enumerate(ways):
        band = recorded[name]
        of_these = type(band)(*([ends[i] for i in at] for ends in (band.low, band.median, band.high)))
        add_series(axes, counts, live[name], of_these, label=name, **look_of(place))
    axes.set_xscale("log")
    axes.set_xticks(counts, [f"{count:g}" for count in counts])
    axes.minorticks_off()
    axes.set_xlabel("labelled sentences")
    axes.set_ylabel("share right")
    legend(axes, "lower right")
    grid(axes)
    message = f"From {counts[0]:g} labelled sentences: " + ", ".join(f"{live[name][0]:.0%} ({name})" for name in ways)
    entitle(figure, message)
    told = "; ".join(
        f"{name}: " + ", ".join(f"{y:.2f} from {n:g}" for n, y in zip(counts, live[name], strict=True)) for name in ways
    )
    return Picture(figure, message, f"Share of labels that are right by the number of labelled sentences. {told}.")
