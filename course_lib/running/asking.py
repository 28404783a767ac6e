"""Ask the answerers questions, one exercise at a time, and pass on their answers."""

from __future__ import annotations

import math
import secrets
import socket
import threading
import time

from course_lib.running.budgets import Allowance, allowance
from course_lib.running.frames import Broken, Frame, Line
from course_lib.running.limits import Limits
from course_lib.running.parked import Parked
from course_lib.running.process_table import ProcessTable
from course_lib.running.stopwatch import LOOK_SECONDS, Stopwatch
from course_lib.running.unseen_code import UnseenCode

_GRACE = 1.0  #: seconds of processor time that an answerer may exceed its limit by before it counts as late
_SMALLEST_STACK = 256 * 1024  #: bytes for a thread that only waits
_FRAME_COST = 10_000  #: bytes charged for each answer, because reading one takes about as long as reading this many


class Asking:
    """The supervisor's side of every answerer's line.

    Args:
        exercises: the ids of the exercises.
        outside: the line to the `conversation`.
        table: the process table, for measuring and stopping processes; None if the system has none.
        unseen: the line on which answerers report code.
    """

    def __init__(
        self, exercises: set[str], limits: Limits, outside: Line, table: ProcessTable | None, unseen: UnseenCode
    ) -> None:
        self.limits = limits
        self._unseen = unseen
        self.outside = outside
        self._pairs = {exercise: _pair(limits.answer_bytes) for exercise in exercises}
        self._lines = {exercise: ours for exercise, (ours, _) in self._pairs.items()}
        self._parked = Parked(self._lines, table)
        self._stopwatch = Stopwatch(table)
        self._idle = 0.0  # in all answers so far

    @property
    def their_ends(self) -> dict[str, Line]:
        """The answerers' ends of the lines, which the notebook's process passes on."""
        return {exercise: theirs for exercise, (_, theirs) in self._pairs.items()}

    def close_their_ends(self) -> None:
        """Close the answerers' ends in the supervisor, so that each line ends when its answerer does."""
        for theirs in self.their_ends.values():
            theirs.close()

    def begin(self) -> None:
        """End every process that isn't an answerer, before the first question arrives."""
        self._parked.stop_all()
        if self.limits.answer_alone:
            self._leave_no_room()

    def _leave_no_room(self) -> None:
        """Use up the process limit of the notebook and its answerers with waiting threads, which count as processes.

        An answerer can't be trusted to limit itself, because student code may have replaced the function that does so.
        """
        threading.stack_size(_SMALLEST_STACK)
        for _ in range(self.limits.processes):
            threading.Thread(target=threading.Event().wait, daemon=True).start()

    def ask(self, asked: Frame) -> str:
        """Pass one exercise's questions to its answerer and its answers back. Return the problem, or an empty string.

        After a problem, the answerer is ended and never asked again.
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
        left, key = self.limits.answer_bytes, secrets.token_hex()
        try:
            line.send({"is": "questions", "key": key}, asked.body, time.monotonic() + may.wall)
            while (frame := self._receive(line, may)) is not None:
                if frame.head.get("key") != key:
                    return "forged"
                if frame.head.get("is") != "answer":
                    break
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
        # an answerer can't use more processor time than the clock shows
        return "late" if self._stopwatch.passed >= self.limits.answer_seconds else "died"

    def _receive(self, line: Line, may: Allowance) -> Frame | None:
        """Read the next frame; return None if the answerer is gone.

        Raises:
            TimeoutError: the answerer's time is over.
        """
        while (frame := line.take()) is None:
            self._stopwatch.look_if_due()
            self._unseen.read()
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
    """Make the two ends of a line: ours, which limits the length of frames, and the answerer's."""
    ours, theirs = socket.socketpair()
    return Line(ours, longest), Line(theirs, 1 << 30)
