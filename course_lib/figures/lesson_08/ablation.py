"""How well a translator works without one of its sub-layers."""

from __future__ import annotations

from collections.abc import Sequence

from course_lib.experiments.series import Recorded
from course_lib.figures.picture import Picture
from course_lib.figures.style import BLUE, GREY, entitle, new_figure

_SHARES = (("sentences", "sentences right to the last word"), ("words", "words right"))


def ablation(arms: Sequence[str], live: dict[str, dict[str, float]], recorded: Recorded, condition: str) -> Picture:
    """Draw a bar for each missing sub-layer; the first, with nothing missing, is grey.

    Args:
        arms: the missing sub-layers; the first arm has nothing missing.
        live: by arm, ``sentences`` and ``words``, shares right. An arm that did not run now is drawn at the middle
            of the recorded runs, and hatched.
        recorded: ``sentences`` and ``words`` over several seeds, one entry per arm, for the black intervals.
        condition: what the bars are about, for instance ``"as it stands"``.
    """
    figure, panels = new_figure(11, 3.9, columns=2, sharey=True)
    shares = {
        name: [live[arm][name] if arm in live else recorded[name].median[i] for i, arm in enumerate(arms)]
        for name, _ in _SHARES
    }
    places = range(len(arms))
    for axes, (name, label) in zip(panels, _SHARES, strict=True):
        for place, arm in enumerate(arms):
            hatch = "" if arm in live else "//"
            axes.barh(place, shares[name][place], 0.7, color=BLUE if place else GREY, hatch=hatch, edgecolor="white")
        axes.hlines(places, recorded[name].low, recorded[name].high, color="black", linewidth=2)
        for place, share in enumerate(shares[name]):
            right_end = max(share, recorded[name].high[place])
            axes.text(right_end + 0.015, place, f"{share:.0%}", va="center", fontsize=11)
        axes.set_xlabel(label)
        axes.set_xlim(0, 1.12)
        axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0%", "25%", "50%", "75%", "100%"])
    panels[0].set_yticks(places, arms)
    panels[0].set_ylabel("missing")
    panels[0].invert_yaxis()
    missing = range(1, len(arms))
    worst, mildest = (choose(missing, key=lambda i: shares["words"][i]) for choose in (min, max))
    message = (
        f"{condition.capitalize()}: {shares['words'][worst]:.0%} of the words are right without "
        f"{_short(arms[worst])}, {shares['words'][mildest]:.0%} without {_short(arms[mildest])}"
    )
    entitle(figure, message)
    clauses = "; ".join(
        f"{label}: "
        + ", ".join(
            f"{share:.2f} " + (f"without {_short(arm)}" if arm != arms[0] else "with everything")
            for arm, share in zip(arms, shares[name], strict=True)
        )
        for name, label in _SHARES
    )
    return Picture(figure, message, f"Bars by what is missing, {condition}. {clauses}.")


def _short(arm: str) -> str:
    """Write ``decoder: cross-attention`` as part of a sentence."""
    stack, _, part = arm.partition(": ")
    return f"the {stack}'s {part}" if part else stack
