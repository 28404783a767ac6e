"""The share of translations that are right to the last word, by sentence length."""

from __future__ import annotations

from collections.abc import Mapping

from course_lib.experiments.series import Recorded, Series
from course_lib.figures.picture import Picture
from course_lib.figures.style import add_series, entitle, grid, legend, look_of, new_figure


def exact_match_by_length(
    live: Mapping[str, Series],
    recorded: Mapping[str, Recorded],
    at: int,
    longest_trained: int | None = None,
    unit: str = "token",
) -> Picture:
    """Draw one line per translator: as it ran now or, if it did not, the medians of the recorded runs.

    Args:
        live: ``length`` and ``exact_match``, by the translator's name.
        recorded: the same over several seeds, possibly with more translators.
        at: the length in the title, one of those tested.
        longest_trained: where a line marks the longest length in training.
        unit: the unit of lengths.
    """
    figure, (axes,) = new_figure(8.5, 4)
    shown = {}
    for place, (name, intervals) in enumerate(recorded.items()):
        lengths, interval = intervals["length"].median, intervals["exact_match"]
        shown[name] = live[name]["exact_match"] if name in live else interval.median
        label = name if name in live else f"{name} (recorded)"
        add_series(axes, lengths, shown[name], interval, label=label, **look_of(place))
    if longest_trained:
        axes.axvline(longest_trained, color="#6B6B6B", linewidth=1, linestyle=":")
        axes.text(longest_trained, 1.0, " never trained →", va="bottom", fontsize=11, color="#4A4A4A")
    axes.set_xticks(lengths)
    axes.set_xlabel(f"length of the source, in {unit}s")
    axes.set_ylabel("share right to the very end")
    axes.set_ylim(0, 1.1)
    legend(axes, "lower left")
    grid(axes)
    place = lengths.index(at)
    message = _message({name: shares[place] for name, shares in shown.items()}, f"{at} {unit}s")
    entitle(figure, message)
    clauses = "; ".join(
        f"{name}: " + ", ".join(f"{share:.2f} at {n:g}" for n, share in zip(lengths, shares, strict=True))
        for name, shares in shown.items()
    )
    return Picture(figure, message, f"Share of translations right to the last {unit}, by length. {clauses}.")


def _message(shares: Mapping[str, float], length: str) -> str:
    """Compare the best translator with the others at this length."""
    if len(shares) == 1:
        ((name, share),) = shares.items()
        return f"Of the sources with {length}, {name} gets {share:.0%} right"
    best = max(shares, key=shares.__getitem__)
    others = ", ".join(f"{name} {share:.0%}" for name, share in shares.items() if name != best)
    return f"At {length}, {best} gets {shares[best]:.0%} right; {others}"
