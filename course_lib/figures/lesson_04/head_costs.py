"""The cost of more heads, counted: operations, memory, scores."""

from __future__ import annotations

from course_lib.experiments.series import Series
from course_lib.figures.picture import Picture
from course_lib.figures.style import CYCLE, DASHES, MARKERS, entitle, grid, legend, new_figure

_COUNTED = (
    ("scores", "scores that go through softmax"),
    ("kept_bytes", "bytes kept for the backward pass"),
    ("flops", "operations in matrix products"),
)


def head_costs(live: Series) -> Picture:
    """Draw each cost as a multiple of the cost of one head, by the number of heads.

    Args:
        live: ``heads``, ``scores``, ``kept_bytes`` and ``flops``.
    """
    heads = live["heads"]
    figure, (axes,) = new_figure(7.5, 3.9)
    ratios = {name: [value / live[name][0] for value in live[name]] for name, _ in _COUNTED}
    for place, (name, words) in enumerate(_COUNTED):
        axes.plot(heads, ratios[name], color=CYCLE[place], marker=MARKERS[place], linestyle=DASHES[place], label=words)
    for axis in (axes.set_xscale, axes.set_yscale):
        axis("log", base=2)
    axes.set_xticks(heads, [f"{number:g}" for number in heads])
    axes.set_yticks(heads, [f"{number:g}" for number in heads])
    axes.minorticks_off()
    axes.set_xlabel("heads, $H$")
    axes.set_ylabel("cost relative to one head")
    legend(axes, "upper left")
    grid(axes)
    operations, scores = ratios["flops"][-1], ratios["scores"][-1]
    same = "as many operations as one" if operations < 1.01 else f"{operations:.2g} times the operations of one"
    message = f"{heads[-1]:g} heads take {same}, and {scores:.2g} times the scores"
    entitle(figure, message)
    clauses = "; ".join(
        f"{words}: "
        + ", ".join(f"{ratio:.2f} at {number:g}" for number, ratio in zip(heads, ratios[name], strict=True))
        for name, words in _COUNTED
    )
    return Picture(figure, message, f"Multiples of what one head costs, by number of heads. {clauses}.")
