"""A pair of dimensions as the hand of a clock, which a shift turns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from course_lib.figures.picture import Picture
from course_lib.figures.style import BLUE, GREY, RED, entitle, new_figure


def clock_hands(table: ArrayLike, pairs: Sequence[int], shift: int, starts: Sequence[int] = (0, 2)) -> Picture:
    """Draw one dial per pair of dimensions: the hand at two positions, and ``shift`` positions later.

    Args:
        table: (T, D), a sine and its cosine in neighbouring dimensions.
        pairs: which pairs to draw.
        shift: the number of positions.
        starts: two positions.
    """
    values = np.asarray(table, dtype=np.float64)
    figure, panels = new_figure(3.5 * len(pairs), 4.3, columns=len(pairs))
    clauses, same = [], True
    for axes, pair in zip(panels, pairs, strict=True):
        axes.plot(*_dial(), color=GREY, linewidth=1)
        turns = []
        for start, color, reach in zip(starts, (BLUE, RED), (1.0, 0.8), strict=True):
            hands = values[[start, start + shift], 2 * pair : 2 * pair + 2]  # (2, 2): sine, cosine
            first, second = np.arctan2(hands[:, 0], hands[:, 1])
            turns.append((second - first) % (2 * np.pi))
            # the hand starts upwards, as on a clock: the sine to the right, the cosine up
            axes.plot([0, hands[0, 0]], [0, hands[0, 1]], color=color, linestyle="--")
            axes.plot([0, hands[1, 0]], [0, hands[1, 1]], color=color)
            sweep = first + np.linspace(0, turns[-1], 60)
            axes.plot(0.55 * reach * np.sin(sweep), 0.55 * reach * np.cos(sweep), color=color, linewidth=1.2)
            for hand, position in zip(hands, (start, start + shift), strict=True):
                axes.text(1.15 * hand[0], 1.15 * hand[1], str(position), color=color, ha="center", va="center")
        same = same and bool(np.isclose(turns[0], turns[1], atol=1e-3))
        degrees = [f"{np.degrees(turn):.0f}°" for turn in turns]
        axes.set_title(f"pair {pair}: turned by {' and '.join(dict.fromkeys(degrees))}")
        axes.set_xlabel("sine")
        axes.set_ylabel("cosine")
        axes.set_aspect("equal")
        axes.set(xlim=(-1.3, 1.3), ylim=(-1.3, 1.3), xticks=[], yticks=[])
        axes.spines[:].set_visible(False)
        clauses.append(
            f"pair {pair}: from position {starts[0]} to {starts[0] + shift} the hand turns by {degrees[0]}, "
            f"from {starts[1]} to {starts[1] + shift} by {degrees[1]}"
        )
    message = (
        f"{shift} positions on, every hand turns by its own angle, wherever it starts"
        if same
        else f"{shift} positions on, how far a hand turns depends on where it starts"
    )
    entitle(figure, message)
    return Picture(figure, message, "Dials, dashed before the shift and solid after it. " + "; ".join(clauses) + ".")


def _dial() -> tuple[ArrayLike, ArrayLike]:
    angle = np.linspace(0, 2 * np.pi, 200)
    return np.sin(angle), np.cos(angle)
