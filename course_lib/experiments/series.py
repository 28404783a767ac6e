"""The results of an experiment, and the intervals over several runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

#: named lists of equal length; the first is the x-axis of the others
Series = dict[str, list[float]]


def in_tens(losses: Sequence[float]) -> Series:
    """Return the ``step`` and ``loss`` of a training run, averaged over ten steps at a time."""
    starts = range(0, len(losses), 10)
    return {"step": [i + 10.0 for i in starts], "loss": [sum(losses[i : i + 10]) / 10 for i in starts]}


def exponent(lengths: Sequence[float], costs: Sequence[float]) -> float:
    """Return p if costs grow like n to the power p: the slope of the line through the logarithms."""
    x, y = [math.log(n) for n in lengths], [math.log(cost) for cost in costs]
    middle_x, middle_y = sum(x) / len(x), sum(y) / len(y)
    rise = sum((a - middle_x) * (b - middle_y) for a, b in zip(x, y, strict=True))
    return rise / sum((a - middle_x) ** 2 for a in x)


@dataclass(frozen=True)
class Interval:
    """For each point of a series, the lowest, middle and highest value over several runs."""

    low: list[float]
    median: list[float]
    high: list[float]

    def covers(self, values: Sequence[float], tolerance: float, lengths: float = 0.0) -> bool:
        """Return whether every value is in its interval, widened on both sides by ``tolerance`` times its middle.

        The margin is at least a ten-thousandth, because 1e-9 and 1e-10 cannot be distinguished.

        Args:
            lengths: if this gives more, widen each interval by this many times its own length instead. On another
                processor, training varies as with another seed, and one seed in three is outside of five others.
        """
        return all(
            low - slack <= value <= high + slack
            for value, low, high, slack in zip(
                values, self.low, self.high, self._slack(tolerance, lengths), strict=True
            )
        )

    def _slack(self, tolerance: float, lengths: float) -> list[float]:
        return [
            max(tolerance * abs(middle), lengths * (high - low), 1e-4)
            for low, middle, high in zip(self.low, self.median, self.high, strict=True)
        ]


#: the intervals of one experiment, by the name of the series
Recorded = dict[str, Interval]


def record(runs: Sequence[Series]) -> Recorded:
    """Summarise several runs of one experiment as intervals."""
    return {
        name: Interval(*([pick(values) for values in zip(*columns, strict=True)] for pick in (min, median, max)))
        for name in runs[0]
        for columns in [[run[name] for run in runs]]
    }
