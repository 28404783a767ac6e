"""What all processes of a sandbox use together, seen from outside.

The kernel limits each process by itself; their sum it limits only in a cgroup, which an ordinary
user seldom has. So the grader looks at `/proc`, often enough that nobody gets far beyond.
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

_SOONEST = 0.1  #: seconds between two looks
_BYTES_A_SECOND = 4e9  #: no faster is memory taken: how long a look holds
_LONGEST_LOOK = 2.0  #: seconds of our own processor time; sixty processes, each with torch in it, take 0.3
_MOST_TABLES = 64 * MEGABYTE  #: for pages of a process; torch and all that the course imports take one megabyte
_FILES_MAPPED = 4096 * MEGABYTE  #: by a process, beside its data; torch's libraries are a quarter of a gigabyte
_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


class Watch:
    """Ends a sandbox whose processes use too much together; a context manager around one run.

    Memory is what would be free if all ended: a page that several share counts once. What waits in
    sockets lies in the kernel, and it does not tell whose it is: each open file counts as if it
    were a full one, and so does each connection that nobody has accepted. The limit is that of one
    process. Of processor time they may use what one process could have used so far, and a quarter
    of a cell's time more: many busy processes take it from other submissions. A process that is
    over between two looks is counted by the kernel only, and one that nobody waits for by the looks
    only: what is more is what they used.

    The kernel takes a time for each page that is mapped to tell a process's share. Whoever maps so much that a look
    would take seconds could do anything meanwhile, so that alone is too much.

    Args:
        first: the sandbox's first process, which may be another one later; None while there is none.
        end: ends the sandbox.

    Attributes:
        exceeded: what they used too much of; empty where nothing.
        seconds: of processor time that they have used together.
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
        """Processor time as the kernel counts it, that of processes which have ended included."""
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
        """How much more memory they may take; negative as soon as it is known to be too much."""
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
    """Its share of memory, swapped out or not, the tables that map it, and what its sockets may hold, in bytes.

    It has no end where more is mapped than ``most_mapped``, since to find the share would take too long.
    """
    status = _read(f"{pid}/status")
    tables, mapped = _bytes("VmPTE", status), _bytes("VmRSS", status)
    if tables > _MOST_TABLES or mapped > most_mapped:
        return math.inf
    shares = _bytes("(?:Pss|SwapPss)", _read(f"{pid}/smaps_rollup"))
    return shares + tables + _IN_A_SOCKET * _open_files(pid)


def _bytes(field: str, text: str) -> int:
    """What the kernel tells of a field, in bytes."""
    return 1024 * sum(map(int, re.findall(rf"^{field}:\s*(\d+) kB", text, re.MULTILINE)))


def _open_files(pid: int) -> int:
    """How many a process has open; none where it is gone."""
    with contextlib.suppress(OSError):
        return sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())
    return 0


def _network(pid: int) -> int:
    """The number of a process's network namespace; 0 where it is gone."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/ns/net").stat().st_ino
    return 0


def _not_accepted(pid: int) -> int:
    """How many connections of a process's network namespace no process holds: only a socket that listens knows them."""
    lines = _read(f"{pid}/net/unix").splitlines()[1:]
    return sum(line.split(maxsplit=7)[6] == "0" for line in lines)


def _processor_seconds(pid: int) -> float:
    fields = _read(f"{pid}/stat").rpartition(")")[2].split()  # the name before may hold anything
    return (int(fields[11]) + int(fields[12])) / _TICKS if fields else 0.0


def _read(path: str) -> str:
    """A file of the kernel's about a process; nothing where the process is gone."""
    with contextlib.suppress(OSError):
        return Path("/proc", path).read_text(errors="replace")
    return ""


#: bytes that may wait in a socket; no submission may ask for more
_IN_A_SOCKET = int(_read("sys/net/core/wmem_default") or 212_992)
