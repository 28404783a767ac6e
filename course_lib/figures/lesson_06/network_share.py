"""The feed-forward network's share of a layer's operations, by sentence length."""

from __future__ import annotations

import math

from course_lib.experiments.series import Series
from course_lib.figures.picture import Picture
from course_lib.figures.style import CYCLE, DASHES, MARKERS, entitle, grid, legend, new_figure

_LINES = (("encoder", "encoder layer"), ("decoder", "decoder layer"))


def network_share(live: Series) -> Picture:
    """Draw one line per layer: the network's share of the operations in matrix products, by N / D.

    Args:
        live: ``length``, as a multiple of the width, ``encoder`` and ``decoder``.
    """
    figure, (axes,) = new_figure(8.5, 4)
    for place, (name, label) in enumerate(_LINES, start=2):  # blue and red are pre-norm and post-norm
        axes.plot(
            live["length"], live[name], color=CYCLE[place], marker=MARKERS[place], linestyle=DASHES[place], label=label
        )
    axes.axhline(0.5, color="#6B6B6B", linewidth=1, linestyle=":")
    axes.text(live["length"][-1], 0.5, "half", va="bottom", ha="right", fontsize=11, color="#4A4A4A")
    axes.set_xlabel("length of the sentence, as a multiple of the width: N / D")
    axes.set_ylabel("network's share of operations")
    axes.set_ylim(0, 1)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    legend(axes, "upper right")
    grid(axes)
    half = [length for length, share in zip(live["length"], live["encoder"], strict=True) if share <= 0.5]
    decoders = "always has less than half" if max(live["decoder"]) < 0.5 else "can have half"
    message = (
        f"Attention has half of an encoder layer's work or more from N = {min(half, default=math.inf):g} D on;\n"
        f"of a decoder layer's, the network {decoders}"
    )
    entitle(figure, message)
    clauses = "; ".join(
        f"{label}: " + ", ".join(f"{s:.0%} at {n:g}" for n, s in zip(live["length"], live[name], strict=True))
        for name, label in _LINES
    )
    return Picture(figure, message, f"The network's share of the operations by N / D. {clauses}.")
