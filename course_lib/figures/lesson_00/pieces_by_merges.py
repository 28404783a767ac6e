"""Into how many pieces words are cut, by the number of merges."""

from __future__ import annotations

from course_lib.experiments.series import Recorded, Series
from course_lib.figures.picture import Picture
from course_lib.figures.style import entitle, grid, look_of, new_figure

_LINES = {"unseen": "words that training lacks", "text": "words of the training text"}


def pieces_by_merges(live: Series, recorded: Recorded) -> Picture:
    """Draw the pieces per word: of the training text, and of words that it lacks.

    Args:
        live: ``merges``, ``text`` and ``unseen``.
        recorded: the same over several seeds, for the black intervals.
    """
    figure, (axes,) = new_figure(8, 3.8)
    for number, (name, label) in enumerate(_LINES.items()):
        interval = recorded[name]
        axes.vlines(live["merges"], interval.low, interval.high, color="black", linewidth=1.6)
        axes.plot(live["merges"], live[name], **look_of(number), label=label)
    axes.axhline(1, color="#6B6B6B", linewidth=1, linestyle=":")
    axes.text(live["merges"][0], 1, "whole words", va="top", fontsize=11, color="#4A4A4A")
    axes.plot([], [], color="black", linewidth=1.6, label="several seeds, lowest to highest")
    axes.set_xlabel("number of merges")
    axes.set_ylabel("pieces per word")
    axes.set_ylim(0, max(recorded["unseen"].high) + 0.5)
    axes.legend(loc="upper right", frameon=False, fontsize=11)
    grid(axes)
    text, unseen = live["text"][-1], live["unseen"][-1]
    message = (
        "With enough merges, usual words are whole, and new ones are not"
        if text < 1.5 < unseen
        else f"After {live['merges'][-1]:.0f} merges, words have {text:.1f} pieces, and new ones {unseen:.1f}"
    )
    entitle(figure, message)
    clauses = "; ".join(
        f"{merges:.0f} merges: {a:.1f}, and {b:.1f} for words that training lacks"
        for merges, a, b in zip(live["merges"], live["text"], live["unseen"], strict=True)
    )
    return Picture(figure, message, f"Pieces per word of the training text. {clauses}.")
