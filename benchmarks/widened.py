"""Which intervals of the record a machine widens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from course_lib.experiments.series import Interval, Recorded


def widened(others: Mapping[str, Recorded], mine: Mapping[str, Recorded]) -> Iterator[str]:
    """Yield a line for each series in which this machine's runs are outside the interval of all other machines.

    The line says at how many points, and shows the point at which the interval grows most.
    """
    for name, series in mine.items():
        axis_name, axis = next(iter(series.items()))
        for series_name, interval in series.items():
            before = others.get(name, {}).get(series_name)
            if before is None or len(before.low) != len(interval.low):
                continue
            grown = {i: more for i in range(len(before.low)) if (more := _growth(before, interval, i)) > 0}
            if grown:
                most = max(grown, key=lambda i: grown[i])
                at = f"at {axis_name} {axis.median[most]:g}: " if len(axis.median) == len(before.low) else ""
                old = f"{before.low[most]:.4g} to {before.high[most]:.4g}"
                low, high = min(before.low[most], interval.low[most]), max(before.high[most], interval.high[most])
                points = f"{len(grown)} of {len(before.low)} points" if len(before.low) > 1 else "its only point"
                yield f"{name}, {series_name}: {points}, {at}{old} becomes {low:.4g} to {high:.4g}"


def _growth(before: Interval, mine: Interval, i: int) -> float:
    """Return by how much an interval grows, as a share of its length, or of its middle if it has none."""
    more = max(0.0, before.low[i] - mine.low[i]) + max(0.0, mine.high[i] - before.high[i])
    size = (before.high[i] - before.low[i]) or abs(before.median[i]) or 1.0
    # four digits are stored, so a smaller difference is rounding
    return more / size if more > 1e-3 * max(abs(before.median[i]), 1e-300) else 0.0
