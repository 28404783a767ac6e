"""Putting questions to answerers, one exercise at a time, and passing on what they answer."""

from __future__ import annotations

import math
import socket
import threading
import time

from course_lib.running.budgets import Allowance, allowance
from course_lib.running.frames import Broken, Frame, Line
from course_lib.running.limits import Limits
from course_lib.running.parked import Parked
from course_lib.running.process_table import ProcessTable
from course_lib.running.stopwatch import LOOK_SECONDS, Stopwatch

_GRACE = 1.0  #: seconds of processor time after which an answerer that has not stopped by itself is given up
_SMALLEST_STACK = 256 * 1024  #: of a thread that only waits; bytes
_FRAME_COST = 10_000  #: of one more answer, in bytes: about as long as that takes to read


class Asking:
    """The supervisor's side of every answerer's line.

    Args:
        exercises: their ids.
        outside: to the `conversation`.
        table: for measuring and stopping processes; None where the system has none.
    """

    def __init__(self, exercises: set[str], limits: Limits, outside: Line, table: ProcessTable | None) -> None:
        self.limits = limits
        self.outside = outside
        self._pairs = {exercise: _pair(limits.answer_bytes) for exercise in exercises}
        self._lines = {exercise: ours for exercise, (ours, _) in self._pairs.items()}
        self._parked = Parked(self._lines, table)
        self._stopwatch = Stopwatch(table)
        self._idle = 0.0  # of all that were asked

    @property
    def their_ends(self) -> dict[str, Line]:
        """The answerers' ends, for the notebook's process to hand on."""
        return {exercise: theirs for exercise, (_, theirs) in self._pairs.items()}

    def close_their_ends(self) -> None:
        """Close them in the supervisor, so that a line ends when its answerer does."""
        for theirs in self.their_ends.values():
            theirs.close()

    def begin(self) -> None:
        """End whatever is not an answerer, before the first question comes."""
        self._parked.stop_all()
        if self.limits.answer_alone:
            self._leave_no_room()

    def _leave_no_room(self) -> None:
        """Take all processes that the notebook and its answerers may have: threads that wait count as many.

        An answerer cannot be asked to limit itself, because what does so in it may have been replaced.
        """
        threading.stack_size(_SMALLEST_STACK)
        for _ in range(self.limits.processes):
            threading.Thread(target=threading.Event().wait, daemon=True).start()

    def ask(self, asked: Frame) -> str:
        """Pass one exercise's questions to its answerer, and its answers back; return what was wrong.

        An answerer with which something was wrong is not asked again.
        """
        exercise = asked.head["exercise"]
        line = self._lines[exercise]
        if self._parked.missing(exercise):
            return "died"
        self._parked.wake(exercise)
        self._stopwatch.start()
        may = allowance(self.limits, self.limits.answer_seconds, math.inf, self._idle)
        problem = self._exchange(line, asked, may)
        self._idle += self._stopwatch.idle
        self._parked.stop(exercise)
        if self._parked.disturbed(exercise):
            problem = "not alone"
        if problem:
            line.close()
            self._parked.end(exercise)
        return problem

    def _exchange(self, line: Line, asked: Frame, may: Allowance) -> str:
        left = self.limits.answer_bytes
        try:
            line.send({"is": "questions"}, asked.body, time.monotonic() + may.wall)
            while (frame := self._receive(line, may)) is not None and frame.head.get("is") == "answer":
                left -= len(frame.body) + _FRAME_COST
                if left < 0:
                    raise Broken("more than fits")
                self.outside.send({"is": "answer"}, frame.body)
        except TimeoutError:
            return self._why_late(may) or "unfinished"
        except Broken:
            return "too long"
        except OSError:
            return "died"
        if frame is not None:
            return ""
        # by the clock it takes at least the processor time that it uses
        return "late" if self._stopwatch.passed >= self.limits.answer_seconds else "died"

    def _receive(self, line: Line, may: Allowance) -> Frame | None:
        """The next frame; None where the answerer is gone.

        Raises:
            TimeoutError: its time is over.
        """
        while (frame := line.take()) is None:
            self._stopwatch.look_if_due()
            if self._why_late(may):
                raise TimeoutError
            line.socket.settimeout(LOOK_SECONDS)
            try:
                if not line.read():
                    return None
            except TimeoutError:
                continue
        return frame

    def _why_late(self, may: Allowance) -> str:
        if self._stopwatch.used > may.processor + _GRACE:
            return "late"
        if self._stopwatch.idle > may.idle:
            return "waits"
        return "unfinished" if self._stopwatch.passed > may.wall else ""


def _pair(longest: int) -> tuple[Line, Line]:
    """Two ends of a line: ours, where frames may be so long, and the other side's."""
    ours, theirs = socket.socketpair()
    return Line(ours, longest), Line(theirs, 1 << 30)
