"""Measure what all processes of a sandbox use in total, from outside.

The kernel limits each process separately. It limits their total only in a cgroup, which an ordinary user seldom has.
So the grader reads `/proc` often enough that no submission can exceed its limits by much.
"""

from __future__ import annotations

import contextlib
import math
import os
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from time import thread_time
from types import TracebackType
from typing import Self

from course_lib.running.limits import MEGABYTE, Limits
from course_lib.running.processes import descendants, processor_seconds

_SOONEST = 0.1  #: the least seconds between two checks
_BYTES_A_SECOND = 4e9  #: the fastest that memory can be taken, which determines when to check again
_LONGEST_LOOK = 2.0  #: the most CPU seconds of a check. Sixty processes that have loaded torch take 0.3
_MOST_TABLES = 64 * MEGABYTE  #: the most for a process's page tables. Torch and all imports of the course take 1 MB
_FILES_MAPPED = 4096 * MEGABYTE  #: the most mapped in addition to data. Torch maps a quarter of a gigabyte
_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


class Watch:
    """Ends a sandbox whose processes use too much in total. Use it as a context manager around one run.

    Memory is what would become free if all processes ended, so a shared page counts once. The kernel does not show who
    owns the data that waits in sockets, so each open file counts as a full socket, and so does each connection that
    nobody has accepted. The limit is that of one process.

    In total, the processes may use the CPU time that one process could have used so far, plus a quarter of a cell's
    time, because many busy processes slow down other submissions. Only the kernel counts a process that ends between
    two checks, and only the checks count one that nobody waits for. The larger number is what they used.

    Finding a process's share takes the kernel some time for each mapped page. A submission that maps so much that a
    check takes seconds could do anything until it ends, so mapping that much exceeds the limit.

    Args:
        first: returns the sandbox's first process, which may change, or None if there is none.
        end: ends the sandbox.

    Attributes:
        exceeded: the limit that the processes exceeded, or empty.
        seconds: the total CPU seconds of the processes.
    """

    def __init__(self, first: Callable[[], int | None], limits: Limits, end: Callable[[], None]) -> None:
        self.exceeded = ""
        self.seconds = 0.0
        self._first, self._limits, self._end = first, limits, end
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look_again_and_again, daemon=True)

    def __enter__(self) -> Self:
        self._started = time.monotonic()
        self._before = {pid: _processor_seconds(pid) for pid in self._processes()}
        self._seen = dict(self._before)
        self._counted_before = self._counted()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def _processes(self) -> list[int]:
        first = self._first()
        return [] if first is None else [first, *descendants(first)]

    def _counted(self) -> float:
        """Return the CPU seconds that the kernel counts, including those of processes that have ended."""
        first = self._first()
        return (processor_seconds(first) if first is not None else None) or 0.0

    def _look_again_and_again(self) -> None:
        room = float(self._limits.data_bytes)
        while not self.exceeded and not self._over.wait(max(_SOONEST, room / _BYTES_A_SECOND)):
            processes = self._processes()
            room = self._room(processes)
            self._seen |= {pid: _processor_seconds(pid) for pid in processes}
            seen = sum(self._seen.values()) - sum(self._before.values())
            self.seconds = max(self.seconds, seen, self._counted() - self._counted_before)
            if room < 0:
                self._stop(f"its processes took more than {self._limits.data_bytes // MEGABYTE:,} MB together")
            elif self.seconds > time.monotonic() - self._started + self._limits.cell_seconds / 4:
                self._stop("its processes kept more than one processor busy")

    def _room(self, processes: list[int]) -> float:
        """Return how much more memory the processes may take. It is negative as soon as they take too much."""
        give_up = thread_time() + _LONGEST_LOOK
        networks = {_network(pid): pid for pid in processes}
        room = float(self._limits.data_bytes - _IN_A_SOCKET * sum(map(_not_accepted, networks.values())))
        for pid in processes:
            room -= _memory(pid, self._limits.data_bytes + _FILES_MAPPED)
            if room < 0 or thread_time() > give_up:
                return min(room, -1.0)
        return room

    def _stop(self, reason: str) -> None:
        self.exceeded = reason
        self._end()


def _memory(pid: int, most_mapped: int) -> float:
    """Return a process's share of memory, swapped or not, its page tables, and the size of its sockets, in bytes.

    Return infinity if more than ``most_mapped`` is mapped, because finding the share would take too long.
    """
    status = _read(f"{pid}/status")
    tables, mapped = _bytes("VmPTE", status), _bytes("VmRSS", status)
    if tables > _MOST_TABLES or mapped > most_mapped:
        return math.inf
    shares = _bytes("(?:Pss|SwapPss)", _read(f"{pid}/smaps_rollup"))
    return shares + tables + _IN_A_SOCKET * _open_files(pid)


def _bytes(field: str, text: str) -> int:
    """Return the sum of a field in the kernel's report, in bytes."""
    return 1024 * sum(map(int, re.findall(rf"^{field}:\s*(\d+) kB", text, re.MULTILINE)))


def _open_files(pid: int) -> int:
    """Return the number of files that a process has open, or 0 if it is gone."""
    with contextlib.suppress(OSError):
        return sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())
    return 0


def _network(pid: int) -> int:
    """Return the number of a process's network namespace, or 0 if the process is gone."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/ns/net").stat().st_ino
    return 0


def _not_accepted(pid: int) -> int:
    """Return how many connections in a process's network namespace have not been accepted by any process."""
    lines = _read(f"{pid}/net/unix").splitlines()[1:]
    return sum(line.split(maxsplit=7)[6] == "0" for line in lines)


def _processor_seconds(pid: int) -> float:
    fields = _read(f"{pid}/stat").rpartition(")")[2].split()  # the name before it may contain anything
    return (int(fields[11]) + int(fields[12])) / _TICKS if fields else 0.0


def _read(path: str) -> str:
    """Return the text of a file in /proc, or an empty string if its process is gone."""
    with contextlib.suppress(OSError):
        return Path("/proc", path).read_text(errors="replace")
    return ""


#: the most bytes that may wait in a socket. No submission may request a larger buffer
_IN_A_SOCKET = int(_read("sys/net/core/wmem_default") or 212_992)
