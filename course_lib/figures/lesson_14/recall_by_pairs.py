"""How much of a list is remembered, by its length."""

from __future__ import annotations

from collections.abc import Mapping

from course_lib.experiments.series import Recorded, Series
from course_lib.figures.picture import Picture
from course_lib.figures.style import add_series, entitle, grid, legend, look_of, new_figure


def recall_by_pairs(
    live: Mapping[str, Series], recorded: Mapping[str, Recorded], trained: float, chance: float
) -> Picture:
    """Draw one line per way to remember; the median for ways that are only recorded.

    Args:
        live: ``pairs`` and ``share``, by name.
        recorded: the same over several seeds; may have further names.
        trained: the longest list in training.
        chance: the share that guessing gets right.
    """
    figure, (axes,) = new_figure(10, 4)
    shown = {name: live[name]["share"] if name in live else recorded[name]["share"].median for name in recorded}
    pairs = next(iter(live.values()))["pairs"]
    for place, (name, shares) in enumerate(shown.items()):
        label = name if name in live else f"{name} (recorded)"
        add_series(axes, pairs, shares, recorded[name]["share"], label=label, **look_of(place))
    axes.axhline(chance, color="#6B6B6B", linewidth=1, linestyle=":")
    axes.text(pairs[0], chance - 0.01, "guessing", va="top", fontsize=11, color="#4A4A4A")
    axes.axvline(trained, color="#6B6B6B", linewidth=1, linestyle=":")
    axes.text(trained * 1.04, 0.72, "longer than\nin training", fontsize=11, color="#4A4A4A")
    axes.set_xscale("log", base=2)
    axes.set_xticks(pairs, [f"{count:g}" for count in pairs])
    axes.minorticks_off()
    axes.set_ylim(-0.02, 1.05)
    axes.set_xlabel("pairs in the list")
    axes.set_ylabel("share of values recalled correctly")
    legend(axes, "center left", bbox_to_anchor=(1.01, 0.5))
    grid(axes)
    at = pairs.index(trained)
    message = f"Of {trained:g} pairs: " + ", ".join(f"{name} {shares[at]:.0%}" for name, shares in shown.items())
    entitle(figure, message)
    clauses = "; ".join(
        f"{name}: " + ", ".join(f"{share:.2f} of {count:g}" for count, share in zip(pairs, shares, strict=True))
        for name, shares in shown.items()
    )
    return Picture(figure, message, f"Share of values recalled correctly by the number of pairs. {clauses}.")
