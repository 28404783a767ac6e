"""Measure the processor time of a submission's processes, and the time in which none of them wants a processor.

The clock alone says little. On a busy machine an honest cell takes many times as long as on a quiet one, and a cell
that sleeps can take any time on both. So time is divided into processor time, time spent waiting for a processor,
which never counts against anyone, and idle time.
"""

from __future__ import annotations

import contextlib
import math
import time

from course_lib.running.process_table import ProcessTable

LOOK_SECONDS = 0.25  #: the time between two measurements


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

    def look(self) -> None:
        """Measure every process once."""
        now = time.monotonic()
        since, self._looked = now - self._looked, now
        if self.table is None:
            return
        processes = self.table.descendants()
        total = max(self._total, _of_ended_children() + sum(process.seconds for process in processes))
        used, self._total = total - self._total, total
        if not any(self.table.wants_processor(process) for process in processes):
            self.idle += max(0.0, since - used)
        self.used = total - self._before

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
