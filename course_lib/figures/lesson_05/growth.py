"""How positions that grow affect an untrained attention."""

from __future__ import annotations

from course_lib.experiments.series import Recorded, Series
from course_lib.figures.picture import Picture
from course_lib.figures.style import BLUE, DASHES, GREEN, MARKERS, RED, add_series, entitle, grid, legend, new_figure

_KINDS = (
    ("sinusoidal", "sinusoids", BLUE),
    ("counted", "linear: 0, 1, 2, …", RED),
    ("fraction", "linear: from 0 to 1", GREEN),
)
_PANELS = (("largest", "largest weight of a query", "weight"), ("gradient", "gradient that reaches $W_v$", "norm"))


def growth(live: Series, recorded: Recorded) -> Picture:
    """Draw the largest weight of a query, and the gradient at the value projection, by sentence length.

    Args:
        live: ``length``, and ``largest`` and ``gradient``, each with ``_sinusoidal``, ``_counted`` and ``_fraction``.
        recorded: the same over several seeds.
    """
    lengths = live["length"]
    figure, panels = new_figure(11, 4.2, columns=2)
    for axes, (name, heading, unit) in zip(panels, _PANELS, strict=True):
        for place, (kind, label, color) in enumerate(_KINDS):
            series = f"{name}_{kind}"
            add_series(
                axes,
                lengths,
                live[series],
                recorded[series],
                color=color,
                marker=MARKERS[place],
                linestyle=DASHES[place],
                label=label,
            )
        axes.set_title(heading)
        axes.set_ylabel(unit)
        axes.set_xscale("log", base=2)
        axes.set_xticks(lengths, [f"{length:g}" for length in lengths])
        axes.minorticks_off()
        axes.set_xlabel("length of the sentence, T (words)")
        grid(axes)
    panels[0].set_ylim(0, 1.03)
    panels[1].set_yscale("log")
    panels[1].yaxis.set_major_formatter("{x:g}")
    legend(panels[1], "upper left")
    grown = live["gradient_counted"][-1] / live["gradient_counted"][0]
    message = (
        f"Counted positions: from {lengths[0]:g} to {lengths[-1]:g} words, the gradient grows {grown:.0f}-fold, "
        f"and one key takes {live['largest_counted'][-1]:.0%}"
    )
    entitle(figure, message)
    clauses = "; ".join(
        f"{heading.replace('$W_v$', 'W_v')}, {label}: {live[f'{name}_{kind}'][0]:.2g} at {lengths[0]:g}, "
        f"{live[f'{name}_{kind}'][-1]:.2g} at {lengths[-1]:g}"
        for name, heading, _ in _PANELS
        for kind, label, _ in _KINDS
    )
    return Picture(figure, message, f"Against the length of the sentence: {clauses}.")
