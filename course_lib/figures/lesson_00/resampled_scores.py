"""The scores of two systems on resampled test sets, and their differences."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from course_lib.figures.picture import Picture
from course_lib.figures.style import BLUE, GREY, RED, entitle, new_figure

_BINS = 40


def resampled_scores(first: ArrayLike, second: ArrayLike, names: tuple[str, str]) -> Picture:
    """Draw a histogram of each system's scores on the left, and of the differences on the right.

    Args:
        first: the scores of the better system, one for each resampled test set.
        second: the scores of the other on the same test sets.
        names: what the systems are called.
    """
    ours, theirs = np.asarray(first), np.asarray(second)
    gaps = ours - theirs
    figure, (left, right) = new_figure(11, 3.8, columns=2)
    bins = np.linspace(min(ours.min(), theirs.min()), max(ours.max(), theirs.max()), _BINS).tolist()
    for scores, name, color, hatch in ((theirs, names[1], RED, "//"), (ours, names[0], BLUE, "")):
        left.hist(scores, bins, color=color, alpha=0.6, hatch=hatch, edgecolor="white", label=name)
    left.set_title("each system's score", loc="left")
    left.set_xlabel("BLEU of a resampled test set")
    left.legend(loc="upper left", frameon=False, fontsize=11)
    left.set_ylim(0, left.get_ylim()[1] * 1.3)  # room for the legend
    right.hist(gaps, _BINS, color=GREY, edgecolor="white")
    right.axvline(0, color="black", linewidth=1.6)
    right.text(0, right.get_ylim()[1], " equal", va="top", fontsize=11)
    right.set_title("the difference on the same test set", loc="left")
    right.set_xlabel(f"BLEU of “{names[0]}” minus BLEU of “{names[1]}”")
    for axes in (left, right):
        axes.set_ylabel("test sets")
    overlap, won = bool(np.percentile(theirs, 97.5) > np.percentile(ours, 2.5)), float((gaps > 0).mean())
    message = (
        f"{'The scores overlap, but on' if overlap else 'On'} {won:.0%} of the test sets the difference is above 0"
    )
    entitle(figure, message)
    middle = "; ".join(
        f"{name} from {np.percentile(scores, 2.5):.1f} to {np.percentile(scores, 97.5):.1f}"
        for name, scores in (*zip(names, (ours, theirs), strict=True), ("the difference", gaps))
    )
    return Picture(figure, message, f"Histograms of BLEU on resampled test sets. The middle 95 %: {middle}.")
