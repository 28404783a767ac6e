"""The BLEU of references in which something was changed."""

from __future__ import annotations

from collections.abc import Mapping

from course_lib.experiments.series import Recorded
from course_lib.figures.picture import Picture
from course_lib.figures.style import BLUE, GREY, RED, entitle, new_figure


def score_of_changes(live: Mapping[str, Mapping[str, float]], recorded: Recorded, right: str) -> Picture:
    """Draw a bar per change, the highest score on top; a mark shows the BLEU of 1-grams only.

    Args:
        live: by change, ``bleu`` and ``single``.
        recorded: the same over several seeds, one entry per change, in the same order.
        right: the change after which the translation is still right.
    """
    order = sorted(live, key=lambda name: live[name]["bleu"])
    names = list(live)
    figure, (axes,) = new_figure(9, 0.5 * len(order) + 1.9)
    for place, name in enumerate(order):
        score, at = live[name]["bleu"], names.index(name)
        axes.barh(place, score, 0.62, color=BLUE if name == right else RED)
        axes.hlines(place, recorded["bleu"].low[at], recorded["bleu"].high[at], color="black", linewidth=2)
        axes.text(1, place, f"{score:.0f}", va="center", fontsize=12, fontweight="bold", color="white")
        axes.plot(live[name]["single"], place, marker="D", color=GREY, markersize=7)
    axes.plot([], [], color="black", linewidth=2, label="several seeds, lowest to highest")
    axes.plot([], [], marker="D", color=GREY, linestyle="", markersize=7, label="1-grams alone")
    axes.set_yticks(range(len(order)), [f"✓ {name}" if name == right else f"✗ {name}" for name in order])
    axes.get_yticklabels()[order.index(right)].set_fontweight("bold")
    axes.set_xlabel("BLEU of the changed references (100 without a change)")
    axes.set_ylabel("what was changed")
    axes.set_xlim(0, 106)
    axes.legend(loc=(0.45, 0.13), frameon=False, fontsize=11)
    kinder = [name for name in reversed(order) if live[name]["bleu"] > live[right]["bleu"]]
    message = (
        f"BLEU prefers {len(kinder)} of {len(live) - 1} mistakes to synonyms that are right"
        if kinder
        else "BLEU prefers synonyms that are right to every mistake"
    )
    entitle(figure, message)
    clauses = "; ".join(
        f"{name}: {live[name]['bleu']:.0f}, of 1-grams alone {live[name]['single']:.0f}" for name in reversed(order)
    )
    return Picture(figure, message, f"BLEU of references with one change, from the highest. {clauses}.")
