"""Ask an implementation within a limit of processor time, and record what it prints instead of printing it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from course_lib.checking.answers import Answer, Error
from course_lib.checking.ask import ask
from course_lib.checking.failure import Failure
from course_lib.checking.number_types import left_as_it_was
from course_lib.checking.questions import Question
from course_lib.checking.time_limit import TimedResult, silence, within
from course_lib.checking.uncompiled import without_compiling
from course_lib.checking.values import readable

#: how much processor time an implementation may use for all questions of an exercise, in seconds
SECONDS = 3.0

LINES, WIDTH = 20, 200  #: how much is shown for one question
_ROOM = LINES * (WIDTH + 1)


class Prints:
    """Record the beginning of what is printed for each question."""

    def __init__(self) -> None:
        self._kept: dict[str, list[str]] = {}
        self._lines: dict[str, int] = {}
        self._room = 0
        self._question = ""

    def begin(self, question: str) -> None:
        """Begin to record another question."""
        self._question, self._room = question, _ROOM
        self._kept[question], self._lines[question] = [], 0

    def hear(self, text: str) -> None:
        """Record printed text."""
        if self._question:
            self._kept[self._question].append(text[: self._room])
            self._room -= min(len(text), self._room)
            self._lines[self._question] += text.count("\n")

    def of(self, question: str) -> tuple[str, ...]:
        """Return the first lines printed for a question. If there were more, a last line says how many."""
        lines = "".join(self._kept.get(question, ())).splitlines()
        shown = tuple(readable(line[:WIDTH]) + ("…" if len(line) > WIDTH else "") for line in lines[:LINES])
        more = self._lines.get(question, 0) - len(shown)
        return (*shown, f"… and {more:,} more line{'' if more == 1 else 's'}") if more > 0 else shown


def answers_in_time(
    questions: Sequence[Question], implementation: Any, prints: Prints | None = None, chance: int = 0
) -> dict[str, Answer]:
    """Return an implementation's answers, without printing anything and within `SECONDS` of processor time.

    If the machine gave it too little processor time, ask the open questions again.

    Args:
        prints: records what the implementation prints.
        chance: see `course_lib.checking.ask.ask`.
    """
    heard, answers = prints or Prints(), dict[str, Answer]()

    over = threading.Event()

    def answer(asked: Sequence[Question]) -> None:
        for question in asked:
            if over.is_set():  # nobody waits any longer for a thread that was left behind
                return
            heard.begin(question.name)
            ask([question], implementation, answers, chance)

    with left_as_it_was(), without_compiling(), silence(heard.hear):
        if any(question.with_optimizer for question in questions):
            from course_lib.checking.first_optimizer import make_first_optimizer

            make_first_optimizer()
        ran = within(SECONDS, lambda: answer(questions))
        if ran.starved and not ran.waits:
            left = [question for question in questions if question.name not in answers]
            ran = within(SECONDS, lambda: answer(left))
        over.set()
    answered = dict(answers)  # a thread that was left behind may still write into `answers`
    if ran.finished:
        return answered
    late = Answer(error=out_of_time(ran))
    return {q.name: answered.get(q.name, late) for q in questions}


def out_of_time(ran: TimedResult) -> Error:
    """Return the error for answers that came too late, which distinguishes a busy machine from an endless loop."""
    if not ran.starved:
        return Failure.TIME_LIMIT.error(f"stopped after {ran.limit:g} s of processor time")
    if ran.waits:
        waits = "look for something that it waits for, such as `time.sleep`, `input` or a breakpoint"
        return Failure.WAITED.error(f"it was stopped: in {ran.wall:.0f} s it used hardly any processor time; {waits}")
    had = f"it had {ran.processor:.1f} s of processor time in {ran.wall:.0f} s"
    return Failure.UNFINISHED.error(f"{had}; the machine is busy, run it again")
