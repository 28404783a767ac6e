"""Stop the answerers and resume them one at a time, so that each computes alone while it is asked.

Another process could answer for an answerer, out of sight of the functions that watch how it computes. So when the
notebook has ended, every process is stopped, those that aren't answerers are killed, and one answerer at a time
resumes. The kernel identifies the answerers, because it attaches the sender's process id to every message.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import struct
import time
from collections.abc import Iterable

from course_lib.running.frames import Line
from course_lib.running.process_table import Process, ProcessTable

_WHO = struct.Struct("3i")  # pid, user, group
_STOP_SECONDS = 10.0  #: time for all processes to stop, which usually takes milliseconds
_STOPPED = "TtZX"  #: the states of processes that aren't computing


class Parked:
    """The answerers, which wait on their lines.

    Args:
        lines: the supervisor's end of each line, by exercise.
        table: the process table; None if the system has none, and then no process is stopped or killed.
    """

    def __init__(self, lines: dict[str, Line], table: ProcessTable | None) -> None:
        self._lines = lines
        self._table = table if hasattr(socket, "SO_PASSCRED") else None
        self._pids: dict[str, int] = {}  # by exercise, as numbered in this process's namespace
        for line in lines.values() if self._table else ():
            line.socket.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)

    def stop_all(self) -> None:
        """Stop every process, kill all except one for each line, and discard everything that was sent so far."""
        if self._table is None:
            return
        alive = {
            pid: process for process in _stop_descendants(self._table) if (pid := self._table.number_here(process))
        }
        for exercise, line in self._lines.items():
            for pid in _senders(line):
                # a second thread could compute while the answerer is asked
                if pid in alive and alive[pid].threads == 1:
                    self._pids[exercise] = pid
        self._kill(alive.keys() - set(self._pids.values()))
        strangers = {pid for pid in self._pids.values() if not _note_stop(pid)}
        self._kill(strangers)
        self._pids = {exercise: pid for exercise, pid in self._pids.items() if pid not in strangers}

    def wake(self, exercise: str) -> None:
        """Resume one answerer."""
        if pid := self._pids.get(exercise):
            _send(pid, signal.SIGCONT)

    def stop(self, exercise: str) -> None:
        """Stop an answerer again after it has answered, and wait until it has stopped."""
        if pid := self._pids.get(exercise):
            _send(pid, signal.SIGSTOP)
            _note_stop(pid)

    def end(self, exercise: str) -> None:
        """Kill an answerer after a problem."""
        if pid := self._pids.pop(exercise, 0):
            self._kill({pid})

    def missing(self, exercise: str) -> bool:
        """Return whether no answerer waits on an exercise's line."""
        return self._table is not None and exercise not in self._pids

    def disturbed(self, exercise: str) -> bool:
        """Return whether another answerer was resumed or stopped since it was parked, and may have helped this one."""
        for pid in set(self._pids.values()) - {self._pids.get(exercise)}:
            with contextlib.suppress(ChildProcessError):
                if os.waitid(os.P_PID, pid, os.WSTOPPED | os.WCONTINUED | os.WNOHANG) is not None:
                    return True
        return False

    def _kill(self, pids: Iterable[int]) -> None:
        """Kill processes, and wait until they are gone."""
        pids = set(pids)
        for pid in pids:
            _send(pid, signal.SIGKILL)
        self._bury(pids)

    def _bury(self, killed: Iterable[int]) -> None:
        """Wait until killed processes are gone, because they count towards the process limit until then."""
        give_up = time.monotonic() + _STOP_SECONDS
        waiting = set(killed)
        while waiting and time.monotonic() < give_up:
            with contextlib.suppress(ChildProcessError):
                while (ended := os.waitpid(-1, os.WNOHANG)[0]) != 0:
                    waiting.discard(ended)
            waiting = {pid for pid in waiting if _exists(pid)}
            if waiting:
                time.sleep(0.001)


def _stop_descendants(table: ProcessTable) -> list[Process]:
    """Stop all descendants of this process, and return them once none of them is computing.

    In a PID namespace, one signal stops all of them at once, so that none can start another. Elsewhere, stop only
    processes that certainly descend from this one, one after another, until none is left that could start more.
    """
    give_up = time.monotonic() + _STOP_SECONDS
    while True:
        if os.getpid() == 1:
            with contextlib.suppress(ProcessLookupError):
                os.kill(-1, signal.SIGSTOP)
        else:
            _stop_each(table)
        found = table.descendants()
        if all(process.state in _STOPPED for process in found) or time.monotonic() > give_up:
            return [process for process in found if process.state not in "ZX"]
        time.sleep(0.001)


def _stop_each(table: ProcessTable) -> None:
    """Stop each descendant through a file descriptor, which can't be reused for another process."""
    held: dict[int, int] = {}
    try:
        for process in table.descendants():
            with contextlib.suppress(OSError):
                held[process.pid] = os.pidfd_open(process.pid)
        for process in table.descendants():  # still a descendant after its descriptor was opened
            if process.pid in held:
                with contextlib.suppress(OSError):
                    signal.pidfd_send_signal(held[process.pid], signal.SIGSTOP)
    finally:
        for descriptor in held.values():
            os.close(descriptor)


def _senders(line: Line) -> list[int]:
    """Read everything that was sent on a line so far, and return the senders in order."""
    found: list[int] = []
    line.socket.setblocking(False)
    with contextlib.suppress(OSError):
        while True:
            data, about, *_ = line.socket.recvmsg(1 << 16, socket.CMSG_SPACE(_WHO.size))
            if not data:
                break
            found += [
                _WHO.unpack(content[: _WHO.size])[0]
                for level, kind, content in about
                if (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS)
            ]
    line.socket.setblocking(True)
    return found


def _send(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _exists(pid: int) -> bool:
    with contextlib.suppress(OSError):
        os.kill(pid, 0)
        return True
    return False


def _note_stop(pid: int) -> bool:
    """Wait until a child has stopped, so that the kernel reports only later changes. Return False if it has gone."""
    with contextlib.suppress(ChildProcessError):
        os.waitid(os.P_PID, pid, os.WSTOPPED | os.WEXITED)
        return True
    return False
