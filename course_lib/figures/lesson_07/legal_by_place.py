"""The share of a language model's words that its language allows, by position."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import mean

from course_lib.experiments.series import Recorded, Series
from course_lib.figures.picture import Picture
from course_lib.figures.style import add_series, entitle, grid, legend, look_of, new_figure


def legal_by_place(live: Mapping[str, Series], recorded: Mapping[str, Recorded], chance: float) -> Picture:
    """Draw one line per model.

    Args:
        live: ``place`` and ``legal``, by name.
        recorded: the same over several seeds.
        chance: the share of legal words if words are guessed.
    """
    figure, (axes,) = new_figure(9, 4)
    for number, (name, series) in enumerate(live.items()):
        add_series(axes, series["place"], series["legal"], recorded[name]["legal"], label=name, **look_of(number))
    axes.axhline(chance, color="#6B6B6B", linewidth=1, linestyle=":")
    last = max(series["place"][-1] for series in live.values())
    axes.text(last, chance - 0.02, "guessing", va="top", ha="right", fontsize=11, color="#4A4A4A")
    axes.set_xlabel("words the model has read when it writes the next")
    axes.set_ylabel("share of words that may follow")
    axes.set_xticks([int(place) for place in max((series["place"] for series in live.values()), key=len)])
    axes.set_ylim(-0.03, 1.05)
    legend(axes)
    grid(axes)
    message = "Written words that the language allows: " + ", ".join(
        f"{name} {mean(series['legal']):.0%}" for name, series in live.items()
    )
    entitle(figure, message)
    clauses = "; ".join(
        f"{name}: " + ", ".join(f"{share:.0%}" for share in series["legal"]) for name, series in live.items()
    )
    return Picture(
        figure, message, f"Share of written words that may follow the word before, by position. {clauses}. "
        f"Guessing gets {chance:.0%}."
    )  # fmt: skip
