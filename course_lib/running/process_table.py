"""Read the kernel's process table to find the descendants of this process.

The table is opened before a submission's mount namespace covers ``/proc``. Afterwards only this process can read it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


class Process(NamedTuple):
    """A process that descends from this one.

    Attributes:
        pid: its number in the table.
        state: one letter, as in the kernel: R runs or waits for a processor, D waits for a disk or for a child that
            shares its memory, S sleeps, T is stopped, Z has ended.
        threads: how many it has.
        seconds: its processor time, including that of the children that it has waited for.
        loads: whether parts of its memory were loaded from a disk since the table was last read.
    """

    pid: int
    state: str
    threads: int
    seconds: float
    loads: bool = False


class ProcessTable:
    """The process table that was mounted when this object was made."""

    def __init__(self) -> None:
        self._folder = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._faults: dict[int, int] = {}  # each process's page faults when the table was last read
        self._waits: dict[str, float] = {}  # each thread's wait for a processor when it was last read
        allowed = os.sched_getaffinity(0)
        self._processor = min(allowed) if len(allowed) == 1 else None
        self._read(f"self/task/{os.readlink('self', dir_fd=self._folder)}/children")

    @classmethod
    def open(cls) -> ProcessTable | None:
        """Open the table; return None if the system has none, or its table doesn't list children."""
        with suppress(OSError):
            return cls()
        return None

    def descendants(self) -> list[Process]:
        """Return all current descendants of this process, each after its parent."""
        found: list[Process] = []
        before, self._faults = self._faults, {}
        left = self._children(int(os.readlink("self", dir_fd=self._folder)))
        while left:
            pid = left.pop()
            with suppress(OSError, IndexError, ValueError):
                fields = self._read(f"{pid}/stat").rpartition(")")[2].split()  # the name may contain anything
                seconds = sum(map(int, fields[11:15])) / _TICKS
                faults = self._faults[pid] = int(fields[9])
                found.append(Process(pid, fields[0], int(fields[17]), seconds, faults > before.get(pid, 0)))
                left += self._children(pid)
        return found

    def wants_processor(self, process: Process) -> bool:
        """Return whether any thread of a process runs or waits for a processor, or for memory from a disk.

        The kernel's state D alone does not count: a process can stay in it for ever at no cost, by waiting for a child.
        """
        wants = "RD" if process.loads else "R"
        if process.threads == 1 or process.state in wants:
            return process.state in wants
        with suppress(OSError):
            threads = self._names(f"{process.pid}/task")
            return any(self._state(f"{process.pid}/task/{thread}/stat") in wants for thread in threads)
        return False

    def waited(self, processes: Iterable[Process]) -> float:
        """Return how many seconds all threads of these processes have waited for a processor since the last call.

        The number is infinite if it is unknown, because a thread has ended or the kernel doesn't count.
        """
        before, self._waits = self._waits, {}
        try:
            for process in processes:
                for thread in self._names(f"{process.pid}/task"):
                    name = f"{process.pid}/task/{thread}/schedstat"
                    self._waits[name] = int(self._read(name).split()[1]) / 1e9
        except (OSError, IndexError, ValueError):
            return math.inf
        if before.keys() - self._waits.keys():
            return math.inf
        return sum(max(0.0, seconds - before.get(name, 0.0)) for name, seconds in self._waits.items())

    def spare_seconds(self) -> float:
        """Return how long the only processor that this process may use has had nothing to do. It is 0 if it has more.

        Time in which the processor waits for a disk doesn't count.
        """
        if self._processor is not None:
            with suppress(OSError, ValueError):
                for line in self._read("stat").splitlines():
                    if line.startswith(f"cpu{self._processor} "):
                        return int(line.split()[4]) / _TICKS
        return 0.0

    def number_here(self, process: Process) -> int:
        """Return the number that this process can use to send a signal to another; 0 if the other has ended."""
        with suppress(OSError, IndexError):
            own = self._numbers("self")
            return self._numbers(str(process.pid))[len(own) - 1]
        return 0

    def _numbers(self, name: str) -> list[int]:
        """Return a process's numbers in the table's PID namespace and in each namespace inside it."""
        (line,) = (line for line in self._read(f"{name}/status").splitlines() if line.startswith("NSpid:"))
        return [int(number) for number in line.split()[1:]]

    def _state(self, name: str) -> str:
        with suppress(OSError):
            return self._read(name).rpartition(")")[2].split()[0]
        return "Z"

    def _children(self, pid: int) -> list[int]:
        found: list[int] = []
        with suppress(OSError):
            for thread in self._names(f"{pid}/task"):  # any thread may have started a child
                with suppress(OSError):
                    found += map(int, self._read(f"{pid}/task/{thread}/children").split())
        return found

    def _names(self, folder: str) -> list[str]:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY, dir_fd=self._folder)
        try:
            return os.listdir(descriptor)
        finally:
            os.close(descriptor)

    def _read(self, name: str) -> str:
        descriptor = os.open(name, os.O_RDONLY, dir_fd=self._folder)
        with os.fdopen(descriptor, "rb") as file:
            return file.read().decode(errors="replace")
