"""The answerers, as the supervisor sees them: alone while they are asked.

Whatever runs next to an answerer could answer for it, out of sight of whatever watches how it computes. So when the
notebook has ended, everything is stopped, whatever is not an answerer is killed, and then one answerer at a time goes
on. Which process an answerer is, the kernel says: it notes with every message who sent it.
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
_STOP_SECONDS = 10.0  #: in which everything must have stopped; it takes milliseconds
_STOPPED = "TtZX"  #: states of processes that compute nothing


class Parked:
    """The processes that wait on the answerers' lines.

    Args:
        lines: the supervisor's end of each, by exercise.
        table: None where the system has none: then nothing is stopped or killed.
    """

    def __init__(self, lines: dict[str, Line], table: ProcessTable | None) -> None:
        self._lines = lines
        self._table = table if hasattr(socket, "SO_PASSCRED") else None
        self._pids: dict[str, int] = {}  # by exercise, as this process knows them
        for line in lines.values() if self._table else ():
            line.socket.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)

    def stop_all(self) -> None:
        """Stop every process, and kill all but one for each line; what they have sent so far is thrown away."""
        if self._table is None:
            return
        alive = {
            pid: process for process in _stop_descendants(self._table) if (pid := self._table.number_here(process))
        }
        for exercise, line in self._lines.items():
            for pid in _senders(line):
                # with a thread beside it, something could compute while it is asked
                if pid in alive and alive[pid].threads == 1:
                    self._pids[exercise] = pid
        self._kill(alive.keys() - set(self._pids.values()))
        strangers = {pid for pid in self._pids.values() if not _note_stop(pid)}
        self._kill(strangers)
        self._pids = {exercise: pid for exercise, pid in self._pids.items() if pid not in strangers}

    def wake(self, exercise: str) -> None:
        """Let one answerer go on."""
        if pid := self._pids.get(exercise):
            _send(pid, signal.SIGCONT)

    def stop(self, exercise: str) -> None:
        """Stop it again, when it has answered; returns when it has stopped."""
        if pid := self._pids.get(exercise):
            _send(pid, signal.SIGSTOP)
            _note_stop(pid)

    def end(self, exercise: str) -> None:
        """End it, because something was wrong with it."""
        if pid := self._pids.pop(exercise, 0):
            self._kill({pid})

    def missing(self, exercise: str) -> bool:
        """Whether nobody waits on a line."""
        return self._table is not None and exercise not in self._pids

    def disturbed(self, exercise: str) -> bool:
        """Whether any other answerer went on, or was stopped anew, since it was stopped here: it may have helped."""
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
        """Wait until they are gone: until then they count as processes."""
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
    """Stop whatever descends from this process; returns when nothing of it computes any more.

    In a world of its own everything is stopped in one go, and nothing can start a process meanwhile. Elsewhere only
    processes that certainly are this one's are stopped, one after the other, until none is left that could start more.
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
    """Stop each descendant by a descriptor that cannot come to mean another process."""
    held: dict[int, int] = {}
    try:
        for process in table.descendants():
            with contextlib.suppress(OSError):
                held[process.pid] = os.pidfd_open(process.pid)
        for process in table.descendants():  # still ours, after the descriptor was opened
            if process.pid in held:
                with contextlib.suppress(OSError):
                    signal.pidfd_send_signal(held[process.pid], signal.SIGSTOP)
    finally:
        for descriptor in held.values():
            os.close(descriptor)


def _senders(line: Line) -> list[int]:
    """Who has sent something on a line so far, in order."""
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
    """Wait until a child has stopped, so that the kernel reports only what happens later; False where it is none."""
    with contextlib.suppress(ChildProcessError):
        os.waitid(os.P_PID, pid, os.WSTOPPED | os.WEXITED)
        return True
    return False
