"""Measure the time of the current cell and decide when it has used up its limits."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from typing import NamedTuple

from course_lib.running.budgets import Budgets
from course_lib.running.cell import Cell
from course_lib.running.limits import Limits
from course_lib.running.process_table import ProcessTable
from course_lib.running.stopwatch import Stopwatch

_GRACE = 1.0  #: seconds, of processor time or idle, between asking a cell to stop and ending its process


class Late(NamedTuple):
    """A cell whose time is over.

    Attributes:
        reason: the reason, for students and instructors to read.
        signal: the signal that asks the cell to stop.
        over: whether the cell was asked to stop and ignored that for too long.
    """

    reason: str
    signal: signal.Signals
    over: bool


class CellClock:
    """Measure one cell after another, and the time left for the cells that follow.

    Args:
        used: the seconds that earlier runs of the notebook used, see `Budgets`.

    Attributes:
        unfinished: whether a cell was stopped by the clock alone, because the machine was too busy.
    """

    def __init__(self, limits: Limits, table: ProcessTable | None, used: Mapping[str, float]) -> None:
        self.limits = limits
        self.budgets = Budgets(limits, used)
        self.unfinished = False
        self._stopwatch = Stopwatch(table)
        self._cell: Cell | None = None
        self._why = ""  # the first reason why its time is over

    def start(self, cell: Cell) -> None:
        """Begin the next cell, and end the one before it."""
        self.end()
        self._cell, self._why = cell, ""
        self._may = self.budgets.allowance(cell.kind)
        self._stopwatch.start()

    def end(self) -> None:
        """End the current cell."""
        self._stopwatch.look_if_due()
        if self._cell is not None:
            watch = self._stopwatch
            self.budgets.spend(self._cell.kind, watch.used, watch.idle, watch.passed)
        self._cell = None

    def late(self) -> Late | None:
        """Return why and how to stop the cell; None if it has time left or wasn't measured just now."""
        if self._cell is None or not self._stopwatch.look_if_due():
            return None
        watch, may = self._stopwatch, self._may
        if watch.used > may.processor:
            over = watch.used > may.processor + _GRACE or watch.idle > may.idle + _GRACE
            return self._late(self._processor(), signal.SIGPROF, over)
        if watch.idle > may.idle:
            return self._late(self._idle(), signal.SIGALRM, watch.idle > may.idle + _GRACE)
        if watch.passed > may.wall:
            self.unfinished = True
            return self._late(self._wall(), signal.SIGALRM, watch.passed > may.wall + 10 * _GRACE)
        return None

    def reason(self) -> str:
        """Return why the cell was stopped."""
        return self._why or self._processor()

    def _late(self, reason: str, number: signal.Signals, over: bool) -> Late:
        self._why = self._why or reason
        return Late(self._why, number, over)

    @property
    def _named(self) -> str:
        return f"cell {self._cell.id}" if self._cell and self._cell.id else "something between two cells"

    def _processor(self) -> str:
        return f"{self._named} ran longer than {self._may.processor:.3g} s of processor time"

    def _idle(self) -> str:
        return f"{self._named} waited for {self._may.idle:.3g} s without using the processor"

    def _wall(self) -> str:
        return (
            f"{self._named} was stopped after {self._may.wall:.0f} s, in which a busy machine gave it "
            f"{self._stopwatch.used:.1f} s of processor time"
        )
