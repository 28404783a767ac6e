"""The four terms of the dot product of two words with their positions."""

from __future__ import annotations

from collections.abc import Mapping

from course_lib.experiments.series import Series
from course_lib.figures.picture import Picture
from course_lib.figures.style import BLUE, GREY, RED, entitle, grid, legend, new_figure

_TERMS = (
    ("word_word", "word · word"),
    ("word_position", "word · position"),
    ("position_word", "position · word"),
    ("position_position", "position · position"),
)
_COLORS = (GREY, BLUE, RED)


def cross_terms(live: Mapping[str, Series]) -> Picture:
    """Bars of the mean of each term, one panel a gap; whiskers of two standard errors.

    Args:
        live: ``gap``, and each term with its ``_error``, by the name of the words.
    """
    gaps = next(iter(live.values()))["gap"]
    figure, panels = new_figure(6.6 * len(gaps), 4.4, columns=len(gaps), sharey=True)
    width = 0.8 / len(live)
    clauses = []
    for number, (axes, gap) in enumerate(zip(panels, gaps, strict=True)):
        for place, (name, series) in enumerate(live.items()):
            means = [series[term][number] for term, _ in _TERMS]
            errors = [2 * series[f"{term}_error"][number] for term, _ in _TERMS]
            at = [i + (place - (len(live) - 1) / 2) * width for i in range(len(_TERMS))]
            bars = axes.bar(at, means, width, yerr=errors, capsize=3, color=_COLORS[place], label=name)
            axes.bar_label(bars, [f"{m:.1f}".replace("-0.0", "0.0") for m in means], padding=3, fontsize=9.5)
            values = ", ".join(f"{label} {m:.1f}" for (_, label), m in zip(_TERMS, means, strict=True))
            clauses.append(f"gap {gap:g}, {name} words: {values}")
        axes.axhline(0, color="black", linewidth=0.8)
        axes.set_xticks(range(len(_TERMS)), [label.replace(" · ", " ·\n") for _, label in _TERMS])
        axes.set_title(f"{gap:g} place{'s' if gap != 1 else ''} apart")
        axes.set_xlabel("term of the dot product")
        grid(axes)
    panels[0].set_ylabel("mean over pairs of words")
    panels[0].margins(y=0.12)
    legend(panels[0], "upper left")
    both = {name: s["word_position"][0] + s["position_word"][0] for name, s in live.items()}
    message = "The cross terms together: " + ", ".join(
        f"{total:.1f}".replace("-0.0", "0.0") + f" for {name} words" for name, total in both.items()
    )
    entitle(figure, message)
    return Picture(figure, message, "Means with two standard errors. " + "; ".join(clauses) + ".")
