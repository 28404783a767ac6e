"""The supervisor: starts the notebook, keeps the time, and passes messages on.

It runs no line of the student's and believes nothing the notebook says: a forged message can
change what the student's own cells seem to have shown, and which of them is out of time, but each cell
begins once, in order, and ends once, so that no more time is to be had. The questions reach it
only after the notebook's process is gone.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import selectors
import signal
import socket
import threading
import time
import traceback
from typing import NoReturn

from course_lib.running.cell import Cell
from course_lib.running.frames import Broken, Frame, Line
from course_lib.running.limits import Limits, limit_this_process
from course_lib.running.notebook import Notebook
from course_lib.running.outcome import Status
from course_lib.running.processes import die_with_parent
from course_lib.running.shell import NotebookShell

_GRACE = 1.0  #: seconds between asking politely and killing
_SMALLEST_STACK = 256 * 1024  #: of a thread that only waits; bytes
_FRAME_COST = 10_000  #: of one more answer, in bytes: about as long as that takes to read


class Supervisor:
    """One run of one notebook.

    Args:
        outside: to the `conversation`.
        request: the cells, the limits, and whether to run demo cells.
        others: processes that count against the limit, see `limit_this_process`.
    """

    def __init__(self, outside: Line, request: Frame, others: int | None = 0) -> None:
        self.outside = outside
        self.limits = Limits(**request.head["limits"])
        self.demos = bool(request.head["demos"])
        self.cells = [Cell(**cell) for cell in json.loads(request.body)]
        self.others = others
        exercises = {cell.exercise for cell in self.cells if cell.kind == "grade"}
        self.answerers = {exercise: _pair(self.limits.answer_bytes) for exercise in exercises}
        self.notebook, self._inside = _pair(2 * self.limits.output_bytes)
        self.pid = 0
        self._may_wait = self.limits.waiting_seconds  # beyond their processor time, all that is asked
        self._left = 2 * self.limits.output_bytes  # of what cells showed and is passed on
        self._cell = ""  # that runs now, or ran last
        self._to_start = [cell.id for cell in self.cells]  # in order; what is passed over does not come any more
        self._to_end = ""  # the cell that has begun and not ended
        self._to_reach = set(exercises)  # each is reached once
        self._cell_end = math.inf
        self._killed = self._late = ""  # why, where it was
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
        for _, theirs in self.answerers.values():
            theirs.close()
        status, reason = self._watch(woken)
        if self.limits.answer_alone:
            self._leave_no_room()
        self.outside.send({"is": "ended", "status": status, "reason": reason})
        while (asked := self.outside.receive()) is not None:
            problem = self._ask(asked)
            self.outside.send({"is": "answered", "problem": problem})

    def _be_the_notebook(self, shell: NotebookShell) -> NoReturn:
        """In the child: hold nothing but the own lines, accept the limits, run the cells."""
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            os.setsid()
            die_with_parent()
            answerers = {exercise: theirs for exercise, (_, theirs) in self.answerers.items()}
            _close_all_but({0, 1, 2, self._inside.fileno(), *(line.fileno() for line in answerers.values())})
            limit_this_process(self.limits, self.others)
            Notebook(shell, self.limits, self._inside, answerers).run(self.cells, self.demos)
            os._exit(0)
        except BaseException:
            traceback.print_exc()  # ours, or a student's who replaced what ours stands on
        finally:
            os._exit(1)

    def _watch(self, woken: int) -> tuple[Status, str]:
        """Pass on what the notebook tells until its process has ended, by itself or by a limit."""
        end = time.monotonic() + self.limits.total_seconds
        self._give_time()
        with selectors.DefaultSelector() as ready:
            ready.register(woken, selectors.EVENT_READ)
            ready.register(self.notebook, selectors.EVENT_READ)
            self.notebook.socket.setblocking(False)
            while self._exit is None:
                left = min(end, self._cell_end) - time.monotonic()
                if left <= 0:
                    self._kill(self._which_limit(end))
                for key, _ in ready.select(None if self._killed else left):
                    if key.fileobj == woken:
                        with contextlib.suppress(BlockingIOError):
                            os.read(woken, 4096)
                        self._reap()
                    elif not self._read_notebook():
                        ready.unregister(self.notebook)
        for _ in range(256):  # what arrived last; not for ever, because a process left behind may still write
            if not self._read_notebook():
                break
        return self._judge()

    def _kill(self, reason: str) -> None:
        """End the notebook's process; the first reason counts."""
        if not self._killed:
            self._killed = reason
            os.kill(self.pid, signal.SIGKILL)

    def _which_limit(self, end: float) -> str:
        if self._cell_end < end:
            return f"cell {self._cell} ran longer than {self.limits.cell_seconds:g} s"
        return f"the cells took longer than {self.limits.total_seconds:g} s together"

    def _judge(self) -> tuple[Status, str]:
        """What became of the notebook."""
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

    def _reap(self) -> None:
        """Note the notebook's end; bury every other process that was left to us."""
        with contextlib.suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                if found[0] == self.pid:
                    self._exit = os.waitstatus_to_exitcode(found[1])

    def _read_notebook(self) -> bool:
        """Read what the notebook tells; False where nothing more is there or will come."""
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
                self._give_time()
            case "finished":
                self._finished = True
            case "cell":
                if frame.head.get("late") is True:
                    self._late = f"cell {self._cell} ran longer than {self.limits.cell_seconds:g} s"
                if cell and cell == self._to_end:
                    self._to_end = ""
                    self._give_time()  # for what comes between two cells
                    missing = _name(frame, "missing")
                    self._left -= len(frame.body)
                    shown = frame.body if self._left >= 0 else b"[]"
                    self.outside.send({"is": "cell", "cell": cell, "missing": missing}, shown)
            case "reached" if exercise in self._to_reach:
                self._to_reach.remove(exercise)
                known = frame.head.get("known") is True
                self.outside.send({"is": "reached", "exercise": exercise, "known": known})

    def _give_time(self) -> None:
        self._cell_end = time.monotonic() + self.limits.cell_seconds + _GRACE

    def _known(self, frame: Frame, key: str) -> str:
        """The cell that a message names; nothing where there is no such cell: reasons are read at a terminal."""
        name = _name(frame, key)
        return name if any(name == cell.id for cell in self.cells) else ""

    def _leave_no_room(self) -> None:
        """Take all processes that the notebook and its answerers may have: threads that wait count as many.

        An answerer cannot be asked to limit itself: what does so in it may have been replaced.
        """
        threading.stack_size(_SMALLEST_STACK)
        for _ in range(self.limits.processes):
            threading.Thread(target=threading.Event().wait, daemon=True).start()

    def _ask(self, asked: Frame) -> str:
        """Pass one exercise's questions to its answerer, and its answers back; return what was wrong.

        An answerer with which something was wrong is not asked again.
        """
        line = self.answerers[asked.head["exercise"]][0]
        problem = self._exchange(line, asked)
        if problem:
            line.close()
        return problem

    def _exchange(self, line: Line, asked: Frame) -> str:
        started = time.monotonic()
        longest = min(self.limits.answer_wall_seconds, self.limits.answer_seconds + self._may_wait)
        too_long = "unfinished" if longest == self.limits.answer_wall_seconds else "waited"
        deadline = started + longest + _GRACE
        left = self.limits.answer_bytes
        try:
            line.send({"is": "questions"}, asked.body, deadline)
            while (frame := line.receive(deadline)) is not None and frame.head.get("is") == "answer":
                left -= len(frame.body) + _FRAME_COST
                if left < 0:
                    raise Broken("more than fits")
                self.outside.send({"is": "answer"}, frame.body)
        except TimeoutError:
            return too_long
        except Broken:
            return "too long"
        except OSError:
            return "died"
        finally:
            self._may_wait -= max(0.0, min(time.monotonic() - started, longest) - self.limits.answer_seconds)
        if frame is not None:
            return ""
        took = time.monotonic() - started  # by the clock it takes at least the processor time that it uses
        if took >= self.limits.answer_wall_seconds:
            return "unfinished"
        return "late" if took >= self.limits.answer_seconds else "died"


def _pair(longest: int) -> tuple[Line, Line]:
    """Two ends of a line: ours, where frames may be so long, and the other side's."""
    ours, theirs = socket.socketpair()
    return Line(ours, longest), Line(theirs, 1 << 30)


def _close_all_but(kept: set[int]) -> None:
    """Close every descriptor that this process inherited and has no use for."""
    below = 3
    for descriptor in sorted(d for d in kept if d >= 3):
        os.closerange(below, descriptor)
        below = descriptor + 1
    os.closerange(below, 4096)


def _name(frame: Frame, key: str) -> str:
    """A name in a message's head, if it is one."""
    value = frame.head.get(key)
    return value[:200] if isinstance(value, str) else ""


def _how(exit_code: int) -> str:
    """How a process ended, in words."""
    if exit_code >= 0:
        return f"with status {exit_code}"
    try:
        return f"by {signal.Signals(-exit_code).name}"
    except ValueError:
        return f"by signal {-exit_code}"
