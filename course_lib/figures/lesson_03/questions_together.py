"""Accuracy by the number of questions asked at once."""

from __future__ import annotations

from collections.abc import Mapping

from course_lib.experiments.series import Recorded, Series
from course_lib.figures.picture import Picture
from course_lib.figures.style import add_series, entitle, grid, legend, look_of, new_figure


def questions_together(live: Mapping[str, Series], recorded: Mapping[str, Recorded], trained_with: int) -> Picture:
    """Draw one line per way to compute attention.

    Args:
        live: ``questions`` and ``accuracy``, by name.
        recorded: the same over several seeds.
        trained_with: how many questions were asked together in training.
    """
    figure, (axes,) = new_figure(8, 3.8)
    for place, (name, series) in enumerate(live.items()):
        add_series(
            axes, series["questions"], series["accuracy"], recorded[name]["accuracy"], label=name, **look_of(place)
        )
    axes.axvline(trained_with, color="#6B6B6B", linewidth=1, linestyle=":")
    axes.text(trained_with, 0.03, " as in training", fontsize=11, color="#4A4A4A")
    axes.set_xticks(next(iter(live.values()))["questions"])
    axes.set_xlabel("questions asked together")
    axes.set_ylabel("share answered correctly")
    axes.set_ylim(0, 1.05)
    legend(axes, "center right")
    grid(axes)
    alone = {name: series["accuracy"][0] for name, series in live.items()}
    message = "Answered correctly, one question at a time: " + ", ".join(
        f"{n} {share:.0%}" for n, share in alone.items()
    )
    entitle(figure, message)
    clauses = "; ".join(
        f"{name}: " + ", ".join(f"{a:.2f} at {q:g}" for q, a in zip(s["questions"], s["accuracy"], strict=True))
        for name, s in live.items()
    )
    return Picture(figure, message, f"Share answered correctly by number of questions. {clauses}.")
