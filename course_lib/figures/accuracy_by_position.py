"""Accuracy at each position of a sentence, within the trained length and beyond it."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import mean

from course_lib.experiments.series import Recorded, Series
from course_lib.figures.picture import Picture
from course_lib.figures.style import CYCLE, DASHES, add_series, entitle, grid, legend, new_figure


def accuracy_by_position(
    live: Mapping[str, Series], recorded: Mapping[str, Recorded], trained: int, chance: float
) -> Picture:
    """Draw one line for each kind of positions.

    Args:
        live: ``position`` and ``accuracy``, by name.
        recorded: the same over several seeds.
        trained: the length of the sentences in training, whose last position is ``trained - 1``.
        chance: the share that guessing gets right.
    """
    figure, (axes,) = new_figure(9, 4)
    within, beyond = {}, {}
    for number, (name, series) in enumerate(live.items()):
        color = CYCLE[number]
        add_series(
            axes,
            series["position"],
            series["accuracy"],
            recorded[name]["accuracy"],
            color=color,
            linestyle=DASHES[number],
            label=name,
        )
        pairs = list(zip(series["position"], series["accuracy"], strict=True))
        within[name] = mean(accuracy for position, accuracy in pairs if position < trained)
        beyond[name] = mean(accuracy for position, accuracy in pairs if position >= trained)
    axes.axvline(trained - 0.5, color="#6B6B6B", linewidth=1, linestyle=":")
    axes.text(trained - 0.2, 0.9, "no training sentence was this long →", fontsize=11, color="#4A4A4A")
    axes.axhline(chance, color="#6B6B6B", linewidth=1, linestyle=":")
    axes.text(1, chance + 0.01, "guessing", va="bottom", fontsize=11, color="#4A4A4A")
    axes.set_xlabel("position in the sentence")
    axes.set_ylabel("share named correctly")
    axes.set_ylim(0, 1.05)
    legend(axes, "center right")
    grid(axes)
    message = f"Named correctly from position {trained} on: " + ", ".join(
        f"{name} {share:.0%}" for name, share in beyond.items()
    )
    entitle(figure, message)
    clauses = "; ".join(
        f"{name}: {within[name]:.0%} on average at positions below {trained}, {beyond[name]:.0%} from there on, where "
        f"single positions lie between {min(series['accuracy'][trained - 1 :]):.0%} "
        f"and {max(series['accuracy'][trained - 1 :]):.0%}"
        for name, series in live.items()
    )
    return Picture(figure, message, f"Share named correctly, by position. {clauses}. Guessing gets {chance:.0%}.")
