"""Scores of several translators on each split of the corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from course_lib.experiments.series import Recorded, Series
from course_lib.figures.picture import Picture
from course_lib.figures.style import CYCLE, entitle, grid, new_figure

_SCORES = (("bleu", "BLEU"), ("exact_match", "exact matches, in percent"))
_HATCHES = ("", "//", "..", "xx")


def score_by_split(live: Mapping[str, Series], recorded: Mapping[str, Recorded], splits: Sequence[str]) -> Picture:
    """Draw a bar for each translator and split: BLEU on the left, exact match on the right.

    Args:
        live: ``bleu`` and ``exact_match`` of each translator, one entry per split. A translator that was only
            recorded is drawn at the middle of its seeds.
        recorded: the same over several seeds, for the black intervals.
        splits: the splits' names.
    """
    names = [*live, *(name for name in recorded if name not in live)]
    figure, panels = new_figure(11, 4.3, columns=2, sharey=True)
    width = 0.8 / len(names)
    heights = {
        name: {score: live[name][score] if name in live else recorded[name][score].median for score, _ in _SCORES}
        for name in names
    }
    for axes, (score, label) in zip(panels, _SCORES, strict=True):
        for place, name in enumerate(names):
            at = [split + (place - (len(names) - 1) / 2) * width for split in range(len(splits))]
            values, interval = heights[name][score], recorded[name][score]
            axes.bar(at, values, width * 0.92, color=CYCLE[place], hatch=_HATCHES[place], label=name, edgecolor="white")
            axes.vlines(at, interval.low, interval.high, color="black", linewidth=1.6)
            for x, value, high in zip(at, values, interval.high, strict=True):
                axes.text(x, max(value, high) + 1.5, f"{value:.0f}", ha="center", fontsize=11)
        axes.set_xticks(range(len(splits)), [_words(split).replace(" ", "\n", 1) for split in splits])
        axes.set_xlabel("split")
        axes.set_ylabel(label)
        axes.set_ylim(0, 112)
        grid(axes)
    panels[0].plot([], [], color="black", linewidth=1.6, label="several seeds, lowest to highest")
    handles = panels[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=len(names) + 1, frameon=False)
    usual, longer = (heights[names[-1]]["exact_match"][splits.index(split)] for split in ("held_out", "longer"))
    message = (
        f"{names[-1][0].upper()}{names[-1][1:]} gets {usual:.0f}% of the usual sentences right, "
        f"and {longer:.0f}% of the longer ones"
    )
    entitle(figure, message)
    clauses = "; ".join(
        f"{name}, {label}: "
        + ", ".join(f"{v:.0f} on {_words(split)}" for v, split in zip(heights[name][score], splits, strict=True))
        for name in names
        for score, label in _SCORES
    )
    return Picture(figure, message, f"Bars by split of the corpus. {clauses}.")


def _words(split: str) -> str:
    return split.replace("held_out", "held-out").replace("_", " ")
