"""Decide in which order the submissions of a class run, so that no submission can use what another one has seen.

First, every submission has its own run. Next, those that a busy machine did not finish run again, one at a time. Last
come the runs with our versions of missing exercises, in the order of their positions, see `over_ours`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from autograder.grading.pool import Job


class Schedule(Iterator[Job]):
    """The jobs of a class. A pool reads them as it has room.

    A phase begins when all jobs of the one before have ended. Until then there seems to be no job left, so a pool must
    ask again whenever a job has ended.

    Args:
        first: every submission's own run.
    """

    def __init__(self, first: Iterator[Job]) -> None:
        self._first = first
        self._once_more = deque[Job]()
        self._steps: dict[int, list[Job]] = {}  # by position
        self._now = deque[Job]()
        self._running = 0

    def __next__(self) -> Job:
        if (job := next(self._first, None)) is None:
            if not self._now and not self._running:
                self._begin_phase()
            if not self._now:
                raise StopIteration
            job = self._now.popleft()
        self._running += 1
        return job

    def _begin_phase(self) -> None:
        if self._once_more:
            self._now.append(self._once_more.popleft())
        elif self._steps:
            self._now.extend(self._steps.pop(min(self._steps)))

    def ended(self) -> None:
        """Record that a job has ended. Add the jobs that follow from it first."""
        self._running -= 1

    def run_alone(self, job: Job) -> None:
        """Add a job that runs while no other one does."""
        self._once_more.append(job)

    def run_at(self, position: int, job: Job) -> None:
        """Add a run with our versions."""
        self._steps.setdefault(position, []).append(job)
