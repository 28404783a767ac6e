"""How well a translator works when its heads are removed one after the other."""

from __future__ import annotations

from collections.abc import Mapping

from course_lib.experiments.series import Recorded, Series
from course_lib.figures.picture import Picture
from course_lib.figures.style import add_series, entitle, grid, legend, look_of, new_figure


def pruning(live: Mapping[str, Series], recorded: Mapping[str, Recorded], heads: int) -> Picture:
    """Draw one line per order: the share of right sentences, by the number of missing heads.

    Args:
        live: ``taken_out`` and ``right``, by the name of the order.
        recorded: the same over several samples of sentences.
        heads: the number of heads.
    """
    figure, (axes,) = new_figure(8.5, 3.9)
    for place, (name, series) in enumerate(live.items()):
        add_series(axes, series["taken_out"], series["right"], recorded[name]["right"], label=name, **look_of(place))
    counts = next(iter(live.values()))["taken_out"]
    axes.set_xticks(counts)
    axes.set_ylim(-0.02, 1.05)
    axes.set_xlabel(f"heads taken out, of {heads}")
    axes.set_ylabel("sentences right to the last word")
    legend(axes, "upper right")
    grid(axes)
    third = counts.index(heads / 3) if heads / 3 in counts else len(counts) // 2
    message = f"Without {counts[third]:g} of {heads} heads: " + ", ".join(
        f"{series['right'][third]:.0%} right ({name})" for name, series in live.items()
    )
    entitle(figure, message)
    clauses = "; ".join(
        f"{name}: " + ", ".join(f"{r:.2f} without {n:g}" for n, r in zip(s["taken_out"], s["right"], strict=True))
        for name, s in live.items()
    )
    return Picture(figure, message, f"Share of sentences right to the last word by heads taken out. {clauses}.")
