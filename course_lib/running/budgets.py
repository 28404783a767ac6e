"""Limit the time of each cell: a student's experiments have one budget, and the exercises another.

So a training loop that never ends loses its own outputs and nothing else. No cell may take more than half of what is
left in its budget. However many cells never end, some time remains for the next one, and the budget always suffices.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from course_lib.running.cell import CellKind
from course_lib.running.limits import Limits

#: the kinds of cells that students use to try things out
EXPERIMENTS: tuple[CellKind, ...] = ("own", "demo")


@dataclass(frozen=True)
class Allowance:
    """The time limits of one cell, or of one exercise's answers.

    Attributes:
        processor: seconds of processor time.
        idle: seconds in which no process wants a processor.
        wall: seconds by the clock, for a machine that is too busy to reach either of the other limits.
    """

    processor: float
    idle: float
    wall: float


class Budgets:
    """The time that a notebook has left.

    Args:
        used: the value of `used` after the earlier runs of this notebook.
    """

    def __init__(self, limits: Limits, used: Mapping[str, float] | None = None) -> None:
        self.limits = limits
        self.used = {"experiments": 0.0, "exercises": 0.0, "idle": 0.0, "wall": 0.0, **(used or {})}

    def allowance(self, kind: CellKind) -> Allowance:
        """Return the limits of the next cell."""
        limits, name = self.limits, _budget(kind)
        total = limits.total_seconds if name == "experiments" else limits.exercise_seconds
        may = allowance(limits, limits.cell_seconds, total - self.used[name], self.used["idle"])
        return replace(may, wall=min(may.wall, max(0.0, limits.cells_wall_seconds - self.used["wall"]) / 2))

    def spend(self, kind: CellKind, processor: float, idle: float, wall: float) -> None:
        """Subtract a cell's time from its budget."""
        self.used[_budget(kind)] += processor
        self.used["idle"] += idle
        self.used["wall"] += wall


def allowance(limits: Limits, most: float, left: float, idle: float) -> Allowance:
    """Allow at most ``most`` seconds, and at most half of what is left.

    Args:
        idle: the number of idle seconds so far.
    """
    processor = max(0.0, min(most, left / 2))
    may_wait = max(0.0, (limits.idle_seconds - idle) / 2)
    return Allowance(processor, may_wait, limits.patience * processor + may_wait)


def _budget(kind: CellKind) -> str:
    return "experiments" if kind in EXPERIMENTS else "exercises"


def more_patient(limits: Limits) -> Limits:
    """Return the limits for a second attempt, on a machine that was too busy for the first."""
    return replace(limits, patience=4 * limits.patience)
