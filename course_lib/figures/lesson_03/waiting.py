"""What waits, and what it costs: recurrent, convolutional and attention layers by sentence length."""

from __future__ import annotations

from course_lib.experiments.series import Recorded, Series
from course_lib.figures.picture import Picture
from course_lib.figures.style import BLUE, GREEN, GREY, RED, add_series, entitle, grid, legend, new_figure

_LINES = (("recurrent", "LSTM", RED, "s", "--"), ("attention", "self-attention", BLUE, "o", "-"),
          ("convolution", "1-D convolution", GREEN, "^", ":"))  # fmt: skip


def waiting(chain: Series, times: Series, recorded: Recorded) -> Picture:
    """Draw how many operations wait for one another (left), and the time of one layer relative to the LSTM (right).

    Args:
        chain: ``length``, ``recurrent``, ``convolution``, ``attention``: the longest chain of operations, with as many
            layers as the first word needs to reach the last.
        times: ``length``, ``convolution``, ``attention``: times as multiples of the LSTM's, on one thread.
        recorded: the same as ``times``, measured several times on another machine.
    """
    lengths = chain["length"]
    figure, (left, right) = new_figure(11, 4.2, columns=2)
    for name, label, color, marker, dash in _LINES:
        stacked = name == "convolution"
        left.plot(
            lengths,
            chain[name],
            color=color,
            marker=marker,
            linestyle=dash,
            label=f"{label}, stacked" if stacked else label,
        )
        if name in times:
            add_series(
                right,
                lengths,
                times[name],
                recorded[name],
                color=color,
                marker=marker,
                linestyle=dash,
                label=f"{label} (sees 3 words)" if stacked else label,
            )
    right.axhline(1, color=GREY, linewidth=1.2)
    right.text(lengths[0], 1.06, "as long as the LSTM", va="bottom", ha="left", fontsize=11, color=GREY)
    left.set_title("until the first word can reach the last")
    left.set_ylabel("operations in a chain")
    right.set_title("a training step of one layer, on one CPU thread")
    right.set_ylabel("time / time of the LSTM")
    ticks = {left: (10, 100, 1000, 10000), right: (0.25, 0.5, 1, 2, 4, 8)}
    for axes in (left, right):
        axes.set_xscale("log", base=2)
        axes.set_xticks(lengths, [f"{length:g}" for length in lengths])
        axes.set_yscale("log")
        axes.set_yticks(ticks[axes], [f"{tick:g}" for tick in ticks[axes]])
        axes.minorticks_off()
        axes.set_xlabel("words in a sentence, $n$")
        grid(axes)
        legend(axes)
    slower = "more" if times["attention"][-1] > 1 else "less"
    message = (
        f"At {lengths[-1]:,.0f} words, only self-attention connects all words in a few operations. "
        f"One thread needs {slower} time for it than for an LSTM"
    )
    entitle(figure, message)
    chains = "; ".join(f"{label}: {_by_length(lengths, chain[name], '.0f')}" for name, label, *_ in _LINES)
    ratios = "; ".join(f"{label}: {_by_length(lengths, times[name], '.2g')}" for name, label, *_ in _LINES[1:])
    return Picture(
        figure,
        message,
        f"Operations in a chain until the first word can reach the last, {chains}. "
        f"Time as a multiple of the LSTM's on one thread, {ratios}.",
    )


def _by_length(lengths: list[float], values: list[float], form: str) -> str:
    return ", ".join(f"{value:{form}} at {length:g} words" for length, value in zip(lengths, values, strict=True))
