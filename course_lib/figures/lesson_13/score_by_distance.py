"""How attention's scores depend on the distance of key and query, within the trained distances and beyond them."""

from __future__ import annotations

from collections.abc import Mapping

from course_lib.experiments.series import Recorded, Series
from course_lib.figures.picture import Picture
from course_lib.figures.style import CYCLE, DASHES, add_series, entitle, grid, legend, new_figure


def score_by_distance(live: Mapping[str, Series], recorded: Mapping[str, Recorded], trained: int) -> Picture:
    """Draw one line for each way to represent distances; trained distances are between dotted lines.

    Args:
        live: ``distance`` and ``score``, by name; the score is 0 at a distance of -1.
        recorded: the same over several seeds.
        trained: the greatest distance in training.
    """
    figure, (axes,) = new_figure(9, 4)
    beyond = {}
    for number, (name, series) in enumerate(live.items()):
        look = {"color": CYCLE[number + 1], "linestyle": DASHES[number], "label": name}
        add_series(axes, series["distance"], series["score"], recorded[name]["score"], linewidth=1.6, **look)
        far = [(score, at) for at, score in zip(series["distance"], series["score"], strict=True) if abs(at) > trained]
        beyond[name] = max(far)
    for edge in (-trained - 0.5, trained + 0.5):
        axes.axvline(edge, color="#6B6B6B", linewidth=1, linestyle=":")
    top = axes.get_ylim()[1]
    axes.text(0, top, "trained", ha="center", va="bottom", fontsize=11, color="#4A4A4A")
    axes.set_xlabel("distance of the key from its query, in words")
    axes.set_ylabel("mean score, compared\nwith that of the word before")
    legend(axes, "lower right")
    grid(axes)
    message = "Nearest rival at a distance that training never had: " + ", ".join(
        f"{name} {-score:.1f} below the word before" for name, (score, _) in beyond.items()
    )
    entitle(figure, message)
    told = "; ".join(
        f"{name}: at distances beyond {trained} at most {score:.1f}, at a distance of {at:.0f}"
        for name, (score, at) in beyond.items()
    )
    return Picture(figure, message, f"Mean score by distance, 0 at a distance of -1. {told}.")
