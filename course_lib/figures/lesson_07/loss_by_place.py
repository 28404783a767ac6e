"""The loss of a language model at each position of a sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import mean

from course_lib.experiments.series import Recorded, Series
from course_lib.figures.picture import Picture
from course_lib.figures.style import add_series, entitle, grid, legend, look_of, new_figure


def loss_by_place(live: Mapping[str, Series], recorded: Mapping[str, Recorded], choices: int) -> Picture:
    """Draw one line per model.

    Args:
        live: ``place`` and ``loss``, by name.
        recorded: the same over several seeds.
        choices: how many words may come next, except at the first position; no honest loss is below their logarithm.
    """
    figure, (axes,) = new_figure(9, 4)
    honest = math.log(choices)
    for number, (name, series) in enumerate(live.items()):
        add_series(axes, series["place"], series["loss"], recorded[name]["loss"], label=name, **look_of(number))
    axes.axhline(honest, color="#6B6B6B", linewidth=1, linestyle=":")
    last = max(series["place"][-1] for series in live.values())
    axes.text(1, honest + 0.06, f"ln {choices}: honest", va="bottom", ha="left", fontsize=11, color="#4A4A4A")
    axes.set_xlabel("position in the sentence, from 0")
    axes.set_ylabel("loss (nats)")
    axes.set_xticks(range(int(last) + 1))
    axes.set_ylim(bottom=-0.08)
    legend(axes, "upper center")
    grid(axes)
    message = "Mean loss before the last position: " + ", ".join(
        f"{mean(series['loss'][:-1]):.2f} ({name})" for name, series in live.items()
    )
    entitle(figure, message)
    clauses = "; ".join(
        f"{name}: " + ", ".join(f"{loss:.2f}" for loss in series["loss"]) for name, series in live.items()
    )
    return Picture(figure, message, f"Loss in nats by position, from 0. {clauses}. The honest loss is {honest:.2f}.")
