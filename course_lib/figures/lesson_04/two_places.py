"""Two ordered positions at once: how often both symbols are named, by the number of heads."""

from __future__ import annotations

from collections.abc import Mapping

from course_lib.experiments.series import Recorded, Series
from course_lib.figures.picture import Picture
from course_lib.figures.style import add_series, entitle, grid, legend, look_of, new_figure


def two_places(live: Mapping[str, Series], recorded: Mapping[str, Recorded], chance: float) -> Picture:
    """Draw one line per model: the share of questions with both symbols right, by training step.

    Args:
        live: ``step`` and ``both right``, by the model's name.
        recorded: the same over several seeds.
        chance: the share that guessing gets right.
    """
    figure, (axes,) = new_figure(8, 3.9)
    for place, (name, series) in enumerate(live.items()):
        band = recorded[name]["both right"]
        add_series(axes, series["step"], series["both right"], band, label=name, **look_of(place))
    axes.axhline(chance, color="#6B6B6B", linewidth=1, linestyle=":")
    axes.text(axes.get_xlim()[1], chance, "guessing", va="bottom", ha="right", fontsize=11, color="#4A4A4A")
    axes.set_xlabel("training step")
    axes.set_ylabel("share with both symbols right")
    axes.set_ylim(0, 1.05)
    legend(axes, "center right")
    grid(axes)
    message = "Both symbols named in order: " + ", ".join(f"{n} {s['both right'][-1]:.0%}" for n, s in live.items())
    entitle(figure, message)
    clauses = "; ".join(
        f"{name}: "
        + ", ".join(f"{share:.2f} at {step:g}" for step, share in zip(s["step"], s["both right"], strict=True))
        for name, s in live.items()
    )
    return Picture(
        figure, message, f"Share with both symbols right by training step. {clauses}. Guessing: {chance:.2f}."
    )
