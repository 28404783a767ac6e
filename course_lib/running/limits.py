"""The limits on a submission's resources."""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass, replace

from course_lib.course import Course

MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Limits:
    """How much time, memory and disk space a notebook may use.

    Attributes:
        cell_seconds: processor time of one cell, with all processes that it starts.
        total_seconds: processor time of all the student's own cells and demos together.
        exercise_seconds: processor time of all set-up and exercise cells together.
        idle_seconds: how long all cells together, and all answers together, may wait without using a processor.
        answer_seconds: processor time of one exercise's answers.
        patience: by the clock, everything may take this multiple of its processor time, in case the machine is busy.
        data_bytes: memory of one process, counted as data, because a limit on address space would count
            the many gigabytes that torch reserves and never touches. In the sandbox, it also limits
            all processes together.
        processes: the most processes and threads at once.
        answer_alone: whether an answerer that is asked can't start processes or threads (root still
            can, because the kernel doesn't limit it).
        open_files: how many files one process may have open.
        file_bytes: size of one file.
        temporary_bytes: size of everything under ``/tmp``.
        cell_text: characters of text that one cell's outputs keep.
        figure_bytes: size of one figure, as it is stored.
        output_bytes: size of all outputs together.
        answer_bytes: size of one exercise's answers.
    """

    cell_seconds: float = 20.0
    total_seconds: float = 60.0
    exercise_seconds: float = 60.0
    idle_seconds: float = 30.0
    answer_seconds: float = 10.0
    patience: float = 20.0
    data_bytes: int = 2048 * MEGABYTE
    processes: int = 64
    answer_alone: bool = False
    open_files: int = 256
    file_bytes: int = 64 * MEGABYTE
    temporary_bytes: int = 64 * MEGABYTE
    cell_text: int = 100_000
    figure_bytes: int = 2_000_000
    output_bytes: int = 5_000_000
    answer_bytes: int = 8 * MEGABYTE

    @property
    def cells_seconds(self) -> float:
        """The processor time of all cells together."""
        return self.total_seconds + self.exercise_seconds

    @property
    def cells_wall_seconds(self) -> float:
        """The most wall time that all cells together can take."""
        return self.patience * self.cells_seconds + self.idle_seconds

    @property
    def answer_wall_seconds(self) -> float:
        """The most wall time that one exercise's answers can take."""
        return self.patience * self.answer_seconds + self.idle_seconds

    def shortened(self, share: float) -> Limits:
        """Return the limits with a share of the time of all cells."""
        return replace(
            self,
            total_seconds=share * self.total_seconds,
            exercise_seconds=share * self.exercise_seconds,
            idle_seconds=share * self.idle_seconds,
        )

    @classmethod
    def of(cls, course: Course) -> Limits:
        """Make the limits that a course's policy sets."""
        policy = dict(course.limits)
        return cls(data_bytes=int(policy.pop("memory_mb") * MEGABYTE), **policy)  # type: ignore[arg-type]


def limit_this_process(limits: Limits, others: int | None = 0) -> None:
    """Set the kernel's own limits for this process and for every process that it will start.

    These are hard limits, so later code can't lift them. Skip a limit that the system refuses or doesn't have (macOS
    has fewer), because the wall-clock limits hold without it.

    Args:
        others: the number of other processes that the kernel counts, because they share the notebook's user. None if
            unknown; the number of processes is then not limited.
    """
    _limit("RLIMIT_CPU", math.ceil(limits.cells_seconds) + 1)
    _limit("RLIMIT_DATA", limits.data_bytes)
    _limit("RLIMIT_FSIZE", limits.file_bytes)
    if others is not None:
        _limit("RLIMIT_NPROC", limits.processes + others)
    _limit("RLIMIT_NOFILE", limits.open_files)
    # some systems, such as systemd, pipe core dumps to a program and ignore this limit, except for 1: then they make
    # no dump, to prevent loops if that program crashes. A file of one byte has no room for a dump, either
    _limit("RLIMIT_CORE", 1)
    _limit("RLIMIT_MEMLOCK", 0)
    _limit("RLIMIT_MSGQUEUE", 0)


def limit_processor_time(seconds: float) -> None:
    """End this process after the given processor time, whatever it does."""
    _limit("RLIMIT_CPU", math.ceil(seconds) + 1)


def _limit(name: str, value: int) -> None:
    import resource  # not on Windows, where `Limits` must still be readable

    which = getattr(resource, name, None)
    if which is None:
        return
    _, hard = resource.getrlimit(which)
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(which, (value, value))
