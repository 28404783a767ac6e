"""How much time each cell may take: a student's experiments have one budget, and the exercises another.

So a training loop that never ends costs its own outputs and nothing else. No cell may take more than half of what its
budget has left: however many never end, something remains for the next one, and together they stay within the budget.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from course_lib.running.cell import CellKind
from course_lib.running.limits import Limits

#: the kinds of cells with which students try things out
EXPERIMENTS: tuple[CellKind, ...] = ("own", "demo")


@dataclass(frozen=True)
class Allowance:
    """What one cell, or one exercise's answers, may take.

    Attributes:
        processor: seconds of processor time.
        idle: seconds in which no process wants a processor.
        wall: seconds by the clock, where the machine is too busy for either to be reached.
    """

    processor: float
    idle: float
    wall: float


class Budgets:
    """What is left of a notebook's time.

    Args:
        used: processor seconds that earlier runs of this notebook have used, as `used` tells them.
    """

    def __init__(self, limits: Limits, used: Mapping[str, float] | None = None) -> None:
        self.limits = limits
        self.used = {"experiments": 0.0, "exercises": 0.0, "idle": 0.0, **(used or {})}

    def allowance(self, kind: CellKind) -> Allowance:
        """What the next cell may take."""
        limits, name = self.limits, _budget(kind)
        total = limits.total_seconds if name == "experiments" else limits.exercise_seconds
        return allowance(limits, limits.cell_seconds, total - self.used[name], self.used["idle"])

    def spend(self, kind: CellKind, processor: float, idle: float) -> None:
        """Note what a cell has taken."""
        self.used[_budget(kind)] += processor
        self.used["idle"] += idle


def allowance(limits: Limits, most: float, left: float, idle: float) -> Allowance:
    """No more than ``most``, and no more than half of what is left.

    Args:
        idle: seconds that have been idle so far.
    """
    processor = max(0.0, min(most, left / 2))
    may_wait = max(0.0, (limits.idle_seconds - idle) / 2)
    return Allowance(processor, may_wait, limits.patience * processor + may_wait)


def _budget(kind: CellKind) -> str:
    return "experiments" if kind in EXPERIMENTS else "exercises"


def more_patient(limits: Limits) -> Limits:
    """The same limits for a second try, on a machine that was too busy for the first."""
    return replace(limits, patience=4 * limits.patience)
