"""The supervisor: start the notebook, keep the time, and pass messages on.

It never runs student code and doesn't trust the notebook's messages. A forged message can change the student's own
outputs, and which cell seems to be out of time. But each cell begins once, in order, and ends once, so a forged
message gains no time. The questions arrive only after the notebook's process is gone.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import socket
import traceback
from typing import NoReturn

from course_lib.running.asking import Asking
from course_lib.running.cell import Cell
from course_lib.running.cell_clock import CellClock
from course_lib.running.frames import Broken, Frame, Line
from course_lib.running.limits import Limits, limit_this_process
from course_lib.running.notebook import Notebook
from course_lib.running.outcome import Status
from course_lib.running.process_table import ProcessTable
from course_lib.running.processes import die_with_parent
from course_lib.running.shell import NotebookShell
from course_lib.running.stopwatch import LOOK_SECONDS
from course_lib.running.unseen_code import UnseenCode, report_to

_NO_CELL = Cell("", "setup", "")  #: stands for the time before the first cell


class Supervisor:
    """One run of one notebook.

    Args:
        outside: the line to the `conversation`.
        request: the cells, the limits, whether to run demo cells, and the time that earlier runs have used.
        table: the process table, for measuring and stopping processes; None if the system has none.
        others: the number of other processes that count towards the limit, see `limit_this_process`.
    """

    def __init__(
        self, outside: Line, request: Frame, table: ProcessTable | None = None, others: int | None = 0
    ) -> None:
        self.outside = outside
        self.limits = Limits(**request.head["limits"])
        self.demos = bool(request.head["demos"])
        self.cells = [Cell(**cell) for cell in json.loads(request.body)]
        self.others = others
        exercises = {cell.exercise for cell in self.cells if cell.kind == "grade"}
        self.unseen = UnseenCode()
        self.asking = Asking(exercises, self.limits, outside, table, self.unseen)
        self.notebook, self._inside = _pair(2 * self.limits.output_bytes)
        self.clock = CellClock(self.limits, table, request.head["used"])
        self._used = request.head["used"]
        self.pid = 0
        self._left = 2 * self.limits.output_bytes  # bytes of output that may still be passed on
        self._by_id = {cell.id: cell for cell in self.cells}
        self._cell = ""  # the cell that is running, or ran last
        self._to_start = [cell.id for cell in self.cells]  # in order; a skipped cell can't start later
        self._to_end = ""  # the cell that has begun but not ended
        self._to_reach = set(exercises)  # each is reached once
        self._killed = self._late = ""  # the reasons, if it was
        self._finished = False
        self._exit: int | None = None

    def run(self, shell: NotebookShell) -> None:
        """Run the notebook, then let its answerers answer until the outside hangs up."""
        woken, wake = os.pipe()
        os.set_blocking(wake, False)
        os.set_blocking(woken, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)  # without a handler nothing is written to `wake`
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the notebook may send it
        self.pid = os.fork()
        if self.pid == 0:
            self._be_the_notebook(shell)
        self._inside.close()
        self.asking.close_their_ends()
        self.unseen.close_theirs()
        status, reason = self._watch(woken)
        self.asking.begin()
        ended = {"is": "ended", "status": status, "reason": reason, "used": self.clock.budgets.used}
        self.outside.send({**ended, "unfinished": self.clock.unfinished, "broke": self._broke()}, self.unseen.packed())
        while (asked := self.outside.receive()) is not None:
            problem = self.asking.ask(asked)
            self.outside.send({"is": "answered", "problem": problem}, self.unseen.packed())

    def _be_the_notebook(self, shell: NotebookShell) -> NoReturn:
        """In the child, keep only its own lines open, accept the limits, and run the cells."""
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            os.setsid()
            die_with_parent()
            answerers = self.asking.their_ends
            lines = (self._inside, *answerers.values(), *((self.unseen.theirs,) if self.unseen.theirs else ()))
            _close_all_but({0, 1, 2, *(line.fileno() for line in lines)})
            limit_this_process(self.limits, self.others)
            if self.unseen.theirs:
                report_to(self.unseen.theirs)
            Notebook(shell, self.limits, self._inside, answerers, self._used).run(self.cells, self.demos)
            os._exit(0)
        except BaseException:
            traceback.print_exc()  # an error of ours, or of student code that replaced something we use
        finally:
            os._exit(1)

    def _watch(self, woken: int) -> tuple[Status, str]:
        """Pass on the notebook's messages until its process has ended, by itself or because of a limit."""
        self.clock.start(_NO_CELL)
        with selectors.DefaultSelector() as ready:
            ready.register(woken, selectors.EVENT_READ)
            ready.register(self.notebook, selectors.EVENT_READ)
            self.notebook.socket.setblocking(False)
            while self._exit is None:
                self._keep_time()
                self.unseen.read()
                for key, _ in ready.select(LOOK_SECONDS):
                    if key.fileobj == woken:
                        with contextlib.suppress(BlockingIOError):
                            os.read(woken, 4096)
                        self._reap()
                    elif not self._read_notebook():
                        ready.unregister(self.notebook)
        self.clock.end()
        for _ in range(256):  # read the last messages, but not for ever, because a process left behind may still write
            if not self._read_notebook():
                break
        return self._judge()

    def _keep_time(self) -> None:
        """Ask a cell to stop when its time is over, and kill the notebook's process if it doesn't."""
        late = self.clock.late()
        if late is None or self._killed:
            return
        if late.over:
            self._kill(late.reason)
        else:
            os.kill(self.pid, late.signal)

    def _kill(self, reason: str) -> None:
        """End the notebook's process. The first reason counts."""
        if not self._killed:
            self._killed = reason
            os.kill(self.pid, signal.SIGKILL)

    def _judge(self) -> tuple[Status, str]:
        """Return how the notebook ended, and the reason."""
        if self._killed:
            return "stopped", self._killed
        if not self._finished:
            assert self._exit is not None
            where = f"in cell {self._cell}" if self._cell else "before its first cell"
            return "stopped", f"the notebook's process ended {_how(self._exit)} {where}"
        if self._late:
            return "stopped", self._late
        if self._left < 0:
            return "stopped", f"its cells show more than {2 * self.limits.output_bytes:,} bytes; the last are left out"
        return "graded", ""

    def _broke(self) -> str:
        """Return the cell that was running when the notebook's process ended early."""
        return self._to_end if self._killed or not self._finished else ""

    def _reap(self) -> None:
        """Record the notebook's end, and reap every other process that was left to us."""
        with contextlib.suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                if found[0] == self.pid:
                    self._exit = os.waitstatus_to_exitcode(found[1])

    def _read_notebook(self) -> bool:
        """Read the notebook's messages. Return False if there are no more now, or never will be."""
        try:
            if not self.notebook.read():
                return False
            while (frame := self.notebook.take()) is not None:
                self._hear(frame)
        except BlockingIOError:
            return False
        except Broken as error:
            self._kill(f"the notebook's process sent {error} in cell {self._cell}")
            return False
        return True

    def _hear(self, frame: Frame) -> None:
        cell, exercise = self._known(frame, "cell"), _name(frame, "exercise")
        match frame.head.get("is"):
            case "start" if cell in self._to_start:
                del self._to_start[: self._to_start.index(cell) + 1]
                self._cell = self._to_end = cell
                self.clock.start(self._by_id[cell])
            case "finished":
                self._finished = True
            case "cell":
                if frame.head.get("late") is True and not self._late:
                    self._late = self.clock.reason()
                if cell and cell == self._to_end:
                    self._to_end = ""
                    self.clock.start(_NO_CELL)  # for the time between two cells
                    missing = _name(frame, "missing")
                    self._left -= len(frame.body)
                    shown = frame.body if self._left >= 0 else b"[]"
                    self.outside.send({"is": "cell", "cell": cell, "missing": missing}, shown)
            case "reached" if exercise in self._to_reach:
                self._to_reach.remove(exercise)
                known = frame.head.get("known") is True
                self.outside.send({"is": "reached", "exercise": exercise, "known": known})

    def _known(self, frame: Frame, key: str) -> str:
        """Return the cell that a message names; empty if it doesn't exist, because reasons are shown at a terminal."""
        name = _name(frame, key)
        return name if name in self._by_id else ""


def _pair(longest: int) -> tuple[Line, Line]:
    """Make the two ends of a line: ours, which limits the length of frames, and the other side's."""
    ours, theirs = socket.socketpair()
    return Line(ours, longest), Line(theirs, 1 << 30)


def _close_all_but(kept: set[int]) -> None:
    """Close every descriptor that this process inherited and doesn't use."""
    below = 3
    for descriptor in sorted(d for d in kept if d >= 3):
        os.closerange(below, descriptor)
        below = descriptor + 1
    os.closerange(below, 4096)


def _name(frame: Frame, key: str) -> str:
    """Return a name from a message's head, if it is one."""
    value = frame.head.get(key)
    return value[:200] if isinstance(value, str) else ""


def _how(exit_code: int) -> str:
    """Describe how a process ended."""
    if exit_code >= 0:
        return f"with status {exit_code}"
    try:
        return f"by {signal.Signals(-exit_code).name}"
    except ValueError:
        return f"by signal {-exit_code}"
