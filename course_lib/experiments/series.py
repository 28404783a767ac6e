"""What an experiment returns, and what several runs of it recorded."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

#: named lists of equal length; the first is what the others are measured against
Series = dict[str, list[float]]

_MEASURED = Path(__file__).parent / "measured"


def in_tens(losses: Sequence[float]) -> Series:
    """``step`` and ``loss`` of a training, averaged over ten steps at a time."""
    starts = range(0, len(losses), 10)
    return {"step": [i + 10.0 for i in starts], "loss": [sum(losses[i : i + 10]) / 10 for i in starts]}


def exponent(lengths: Sequence[float], costs: Sequence[float]) -> float:
    """The p of a cost that grows like n to the p: the slope of the straight line through the logarithms."""
    x, y = [math.log(n) for n in lengths], [math.log(cost) for cost in costs]
    middle_x, middle_y = sum(x) / len(x), sum(y) / len(y)
    rise = sum((a - middle_x) * (b - middle_y) for a, b in zip(x, y, strict=True))
    return rise / sum((a - middle_x) ** 2 for a in x)


@dataclass(frozen=True)
class Interval:
    """For each point of a series, the lowest, middle and highest value over several seeds."""

    low: list[float]
    median: list[float]
    high: list[float]

    def covers(self, values: Sequence[float], tolerance: float, lengths: float = 0.0) -> bool:
        """Whether every value lies in its interval, widened on both sides by ``tolerance`` times its middle.

        At least a ten-thousandth is always granted: a value of 1e-9 is not to be told from one of 1e-10.

        Args:
            lengths: by how many of its own lengths the interval is widened instead, where that is more. What is trained
                comes out on another processor as on another seed, and one seed in three lies outside of five others.
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
    """Several runs of one experiment as intervals."""
    return {
        name: Interval(*([pick(values) for values in zip(*columns, strict=True)] for pick in (min, median, max)))
        for name in runs[0]
        for columns in [[run[name] for run in runs]]
    }


def recorded(lesson: str) -> dict[str, Recorded]:
    """What ``make experiments`` measured for a lesson, by experiment."""
    table = json.loads((_MEASURED / f"{lesson}.json").read_text(encoding="utf-8"))
    return {
        experiment: {name: Interval(**interval) for name, interval in series.items()}
        for experiment, series in table["experiments"].items()
    }
