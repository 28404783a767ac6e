"""Accuracy at each place of a sentence, within the trained length and beyond it."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import mean

from course_lib.experiments.series import Recorded, Series
from course_lib.figures.picture import Picture
from course_lib.figures.style import CYCLE, DASHES, add_band, entitle, grid, legend, new_figure


def accuracy_by_place(
    live: Mapping[str, Series], recorded: Mapping[str, Recorded], trained: int, chance: float
) -> Picture:
    """One line a way of telling positions.

    Args:
        live: ``place`` and ``accuracy``, by name.
        recorded: the same over several seeds.
        trained: the length of the sentences in training: its last place is ``trained - 1``.
        chance: the share that guessing gets right.
    """
    figure, (axes,) = new_figure(9, 4)
    within, beyond = {}, {}
    for number, (name, series) in enumerate(live.items()):
        color = CYCLE[number]
        add_band(axes, series["place"], recorded[name]["accuracy"].low, recorded[name]["accuracy"].high, color)
        axes.plot(series["place"], series["accuracy"], color=color, linestyle=DASHES[number], label=name)
        pairs = list(zip(series["place"], series["accuracy"], strict=True))
        within[name] = mean(accuracy for place, accuracy in pairs if place < trained)
        beyond[name] = mean(accuracy for place, accuracy in pairs if place >= trained)
    axes.axvline(trained - 0.5, color="#6B6B6B", linewidth=1, linestyle=":")
    axes.text(trained - 0.2, 0.97, "never trained →", fontsize=11, color="#4A4A4A")
    axes.axhline(chance, color="#6B6B6B", linewidth=1, linestyle=":")
    axes.text(1, chance + 0.01, "guessing", va="bottom", fontsize=11, color="#4A4A4A")
    axes.set_xlabel("place in the sentence, from 0")
    axes.set_ylabel("share answered right")
    axes.set_ylim(0, 1.05)
    legend(axes, "center right")
    grid(axes)
    message = "Beyond the trained length, right: " + ", ".join(f"{name} {share:.0%}" for name, share in beyond.items())
    entitle(figure, message)
    clauses = "; ".join(
        f"{name}: {within[name]:.0%} on average at places below {trained}, {beyond[name]:.0%} from there on, where "
        f"single places lie between {min(series['accuracy'][trained - 1 :]):.0%} "
        f"and {max(series['accuracy'][trained - 1 :]):.0%}"
        for name, series in live.items()
    )
    return Picture(figure, message, f"Share answered right by place. {clauses}. Guessing gets {chance:.0%}.")
