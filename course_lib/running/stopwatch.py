"""What the processes of a submission use: processor time, and time in which none of them wants any.

The clock alone says little. On a busy machine an honest cell takes many times as long as on a quiet one, and a cell
that sleeps takes as long as it likes on both. So time is divided into what was used, what was spent waiting for a
processor, which is never held against anybody, and what was idle.
"""

from __future__ import annotations

import contextlib
import math
import time

from course_lib.running.process_table import ProcessTable

LOOK_SECONDS = 0.25  #: between two looks


class Stopwatch:
    """Measures everything that descends from this process.

    Args:
        table: None where the system has none: then only the clock is known.

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
        """Begin again at zero. What was used since the last look, a moment ago, counts as used from now on."""
        if time.monotonic() - self._looked >= LOOK_SECONDS:
            self.look()
        self._before, self.used, self.idle = self._total, 0.0, 0.0
        self._started = self._looked = time.monotonic()

    def look(self) -> None:
        """Look at every process once."""
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
        """Look where the last look was long enough ago; whether it was."""
        due = time.monotonic() - self._looked >= LOOK_SECONDS
        if due:
            self.look()
        return due


def _of_ended_children() -> float:
    """Processor seconds of the children that this process has waited for."""
    with contextlib.suppress(ImportError):  # Windows has none
        import resource

        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        return ended.ru_utime + ended.ru_stime
    return 0.0
