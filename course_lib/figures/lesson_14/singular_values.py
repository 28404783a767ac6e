"""How few singular values nearly describe a matrix of weights."""

from __future__ import annotations

from course_lib.experiments.series import Recorded, Series
from course_lib.figures.picture import Picture
from course_lib.figures.style import add_series, entitle, grid, legend, look_of, new_figure

#: in drawing order
_KINDS = {"trained": "trained heads", "random": "random scores", "shift": "every word looks one back"}
#: the share that counts as nearly all of a matrix
NEARLY_ALL = 0.9


def singular_values(live: Series, recorded: Recorded) -> Picture:
    """Draw the share of the sum of squares in the largest singular values, for three kinds of weights.

    Args:
        live: ``values``, and the shares of ``trained``, ``random`` and ``shift``.
        recorded: the same over several seeds.
    """
    figure, (axes,) = new_figure(8.5, 3.9)
    counts = live["values"]
    for place, (name, label) in enumerate(_KINDS.items()):
        add_series(axes, counts, live[name], recorded[name], label=label, **look_of(place))
    axes.axhline(NEARLY_ALL, color="#6B6B6B", linewidth=1, linestyle=":")
    axes.text(counts[-1], NEARLY_ALL - 0.02, f"{NEARLY_ALL:.0%}", va="top", ha="right", fontsize=11, color="#4A4A4A")
    axes.set_xticks(counts)
    axes.set_ylim(0, 1.04)
    axes.set_xlabel("largest singular values that are kept")
    axes.set_ylabel("share of the sum of squares")
    legend(axes, "lower right")
    grid(axes)
    needed = {
        name: next(count for count, share in zip(counts, live[name], strict=True) if share >= NEARLY_ALL)
        for name in _KINDS
    }
    message = f"For {NEARLY_ALL:.0%} of it, of {counts[-1]:g} singular values: " + ", ".join(
        f"{label} {needed[name]:g}" for name, label in _KINDS.items()
    )
    entitle(figure, message)
    clauses = "; ".join(
        f"{label}: " + ", ".join(f"{share:.2f} with {count:g}" for count, share in zip(counts, live[name], strict=True))
        for name, label in _KINDS.items()
    )
    return Picture(figure, message, f"Share of the sum of squares that the largest singular values hold. {clauses}.")
