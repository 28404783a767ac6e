"""Measure the processor time of a submission's processes, and the time in which none of them wants a processor.

The clock alone says little. On a busy machine an honest cell takes many times as long as on a quiet one, and a cell
that sleeps can take any time on both. So time is divided into processor time, time spent waiting for a processor,
which never counts against anyone, and idle time.

A process can know when it is looked at, because its supervisor then uses the same processor. So whether it wants a
processor at that moment says nothing about the time before. The kernel's counters do: a period contains at least as
much idle time as the processor had nothing to do, and at least what is left of it without the time that processes ran
or waited for a processor.
"""

from __future__ import annotations

import contextlib
import math
import time

from course_lib.running.process_table import ProcessTable

LOOK_SECONDS = 0.25  #: the time between two measurements
#: a wait for a processor is counted when it ends. If a process is waiting now, the period goes on, but not for longer
_LONGEST_PERIOD = 2.0
_LONGEST_WAIT = 0.3  #: seconds that it may have waited by then


class Stopwatch:
    """Measure all descendants of this process.

    Args:
        table: the process table; None if the system has none, and then only the clock is known.

    Attributes:
        used: seconds of processor time since `start`.
        idle: seconds since `start` in which no process wanted a processor.
    """

    def __init__(self, table: ProcessTable | None) -> None:
        self.table = table
        self._total = self._before = self.used = self.idle = 0.0
        self._started, self._looked = time.monotonic(), -math.inf
        self._period = self._busy = self._spare = 0.0
        self._begin_period()

    @property
    def passed(self) -> float:
        """Seconds by the clock since `start`."""
        return time.monotonic() - self._started

    def start(self) -> None:
        """Restart at zero. Time used since the last measurement, a moment ago, counts as used from now on."""
        if time.monotonic() - self._looked >= LOOK_SECONDS:
            self.look()
        self._before, self.used, self.idle = self._total, 0.0, 0.0
        self._started = self._looked = time.monotonic()
        self._begin_period()

    def look(self) -> None:
        """Measure every process once."""
        self._looked = time.monotonic()
        if self.table is None:
            return
        processes = self.table.descendants()
        total = max(self._total, _of_ended_children() + sum(process.seconds for process in processes))
        self._busy += total - self._total + self.table.waited(processes)
        self._total = total
        self.used = total - self._before
        wants = [process for process in processes if self.table.wants_processor(process)]
        if any(process.loads for process in wants):
            self._busy = math.inf  # it may have waited for a disk
        period = self._looked - self._period
        if not wants or period >= _LONGEST_PERIOD:
            busy = self._busy + (_LONGEST_WAIT if wants else 0.0)
            self.idle += max(0.0, period - busy, min(period, self.table.spare_seconds() - self._spare))
            self._begin_period()

    def _begin_period(self) -> None:
        self._period, self._busy = time.monotonic(), 0.0
        self._spare = self.table.spare_seconds() if self.table else 0.0

    def look_if_due(self) -> bool:
        """Measure if the last measurement was long enough ago. Return whether it was."""
        due = time.monotonic() - self._looked >= LOOK_SECONDS
        if due:
            self.look()
        return due


def _of_ended_children() -> float:
    """Return the processor seconds of the children that this process has waited for."""
    with contextlib.suppress(ImportError):  # Windows doesn't have this module
        import resource

        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        return ended.ru_utime + ended.ru_stime
    return 0.0
