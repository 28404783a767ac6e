"""Accuracy by sentence length."""

from __future__ import annotations

from collections.abc import Mapping

from course_lib.experiments.series import Recorded, Series
from course_lib.figures.picture import Picture
from course_lib.figures.style import add_series, entitle, grid, legend, look_of, new_figure


def accuracy_by_length(live: Mapping[str, Series], recorded: Mapping[str, Recorded], trained_at: int) -> Picture:
    """Draw one line per model.

    Args:
        live: ``length`` and ``accuracy``, by name.
        recorded: the same over several seeds.
        trained_at: the only length seen in training.
    """
    figure, (axes,) = new_figure(8, 3.8)
    for place, (name, series) in enumerate(live.items()):
        add_series(axes, series["length"], series["accuracy"], recorded[name]["accuracy"], label=name, **look_of(place))
    axes.axvline(trained_at, color="#6B6B6B", linewidth=1, linestyle=":")
    axes.text(trained_at, 0.03, "as in training ", ha="right", fontsize=11, color="#4A4A4A")
    axes.set_xticks(next(iter(live.values()))["length"])
    axes.set_xlabel("tokens in the sentence")
    axes.set_ylabel("share of positions right")
    axes.set_ylim(0, 1.05)
    legend(axes, "lower left")
    grid(axes)
    message = "; ".join(f"{name}: right at {_lengths(series)}" for name, series in live.items())
    entitle(figure, message)
    clauses = "; ".join(
        f"{name}: " + ", ".join(f"{a:.2f} at {n:g}" for n, a in zip(s["length"], s["accuracy"], strict=True))
        for name, s in live.items()
    )
    return Picture(figure, message, f"Share of positions right by length. {clauses}.")


def _lengths(series: Series) -> str:
    """Return the lengths at which at least nine positions in ten are right."""
    right = [
        f"{length:g}"
        for length, share in zip(series["length"], series["accuracy"], strict=True)
        if share >= 0.9  # as the lesson's prediction counts
    ]
    if len(right) == len(series["length"]):
        return "every length"
    return "no length" if not right else f"length{'s' if len(right) > 1 else ''} {' and '.join(right)} only"
