"""The conversation with a supervisor: send cells and questions, and receive an outcome.

This side is trusted, but reads untrusted data. It ends in time whatever arrives or fails to arrive, and keeps
everything that arrived before.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace

from torch import Tensor

from course_lib.checking.answers import Answer, Error, decode_answers, pack, plain_answer, unpack
from course_lib.checking.failure import Failure
from course_lib.checking.formatting import visible
from course_lib.checking.questions import Question, encode_questions
from course_lib.checking.values import Room, readable
from course_lib.running.budgets import EXPERIMENTS
from course_lib.running.cell import Cell
from course_lib.running.defined import names_in_each
from course_lib.running.frames import Broken, Frame, Line
from course_lib.running.limits import Limits
from course_lib.running.outcome import PUBLIC, Outcome, Output, Status
from course_lib.running.outputs import read_outputs
from course_lib.running.unseen_code import unpack as unpack_code

Questions = Mapping[str, tuple[Question, ...]]

_CELL = re.compile(r"<ipython-input-[^>]*>, ")  #: IPython's name for a cell in the text of a SyntaxError
_GRACE = 15.0  #: seconds beyond the limits, for starting and stopping processes on a busy machine

#: the failure and the message for each problem of an answerer
_PROBLEMS = {
    "late": (Failure.TIME_LIMIT, "stopped after {limits.answer_seconds:g} s of processor time"),
    "waits": (
        Failure.WAITED,
        "it was stopped, because it waited for something without using the processor, such as `time.sleep`, `input` or "
        "another process",
    ),
    "unfinished": (
        Failure.UNFINISHED,
        "in {limits.answer_wall_seconds:.0f} s the busy machine did not give it {limits.answer_seconds:g} s of "
        "processor time: run it again",
    ),
    "died": (Failure.DIED, ""),
    "not alone": (Failure.DIED, "another process computed while this exercise was asked, so its answers do not count"),
    "forged": (Failure.DIED, "code of the notebook wrote to the line for answers, so its answers do not count"),
    "too long": (Failure.TOO_LONG, "the answers take more than {limits.answer_bytes:,} bytes"),
}


class Conversation:
    """One run of a notebook, seen from outside.

    Args:
        public: the questions that are answered before any hidden question is sent. Everything that students may see,
            such as outputs and public answers, is made before any process has seen a hidden question. So a channel
            that processes share, such as the page cache, can't leak one.

    Attributes:
        status, reason, outputs, all_answers: as in `Outcome`; complete after `hold`.
        used: seconds that the cells have used of each budget, see `Budgets`.
        broke: the id of the added cell that ended the notebook's process before every exercise was reached.
        unknown_name: whether a name was missing that a demo cell may define.
        broken: whether the other side stopped responding or broke the protocol, and must be killed.
        asked: whether hidden questions were sent.
    """

    def __init__(
        self,
        line: Line,
        cells: Sequence[Cell],
        questions: Questions,
        limits: Limits,
        demos: bool = False,
        public: Questions | None = None,
        used: Mapping[str, float] | None = None,
    ) -> None:
        self.used = dict(used or {})
        self.broke = ""
        self.line = line
        self.questions = {**{PUBLIC + name: asked for name, asked in (public or {}).items()}, **questions}
        self.cells = [*_with_public(cells, public or {})]
        self.limits = limits
        self.demos = demos
        self.status: Status = "stopped"
        self.reason = ""
        self.outputs: dict[str, list[Output]] = {}
        self.all_answers: dict[str, dict[str, Answer]] = {}
        self.unknown_name = False
        self.broken = self.asked = False
        self._known = {cell.exercise: cell.symbol for cell in self.cells if cell.kind == "grade"}
        self._defined = names_in_each(cell.source for cell in self.cells if cell.kind == "demo")
        self._deciding = [name for name in self.questions if name.startswith(PUBLIC)] or [*self.questions]
        self._parked: set[str] = set()
        self._waits: dict[str, Error] = {}  # by exercise
        self._unseen: dict[str, str] = {}  # see `Outcome`
        self._unfinished = False  # whether the machine was too busy
        self._alive: set[str] = set()  # answerers that have answered, and may be asked again
        self._started = time.monotonic()

    def hold(self) -> Outcome:
        """Run the cells, ask the questions, and hang up."""
        try:
            self._run()
            for exercise in self.questions:  # the public ones first
                if self.broke or (self.unknown_name and not self.demos):
                    break  # the notebook will run again, without the cell or with the demos
                if exercise in self._parked:
                    self._ask(exercise)
        except TimeoutError:
            self._fail("its processes did not end when their time was over")
        except (OSError, Broken):
            self._fail("its processes ended without a word")
        finally:
            self.line.close()
        seconds = time.monotonic() - self._started
        found = self.status, self.reason, self.outputs, self.all_answers, seconds
        outcome = Outcome(*found, broken=self.broken, unfinished=self._unfinished, asked=self.asked)
        return replace(outcome, idle_seconds=self.used.get("idle", 0.0), unseen=self._unseen)

    def _fail(self, reason: str) -> None:
        self.broken = True
        self.status, self.reason = "stopped", reason

    def _run(self) -> None:
        """Send the cells, and listen until the notebook's process has ended."""
        deadline = self._started + self.limits.cells_wall_seconds + _GRACE
        cells = json.dumps([asdict(cell) for cell in self.cells]).encode()
        self.line.send({"limits": asdict(self.limits), "demos": self.demos, "used": self.used}, cells, deadline)
        while (frame := self._receive(deadline)).head.get("is") != "ended":
            self._hear(frame)
        self.status = frame.head["status"]
        self.reason = frame.head["reason"]
        self.used = frame.head["used"]
        self._unfinished = bool(frame.head["unfinished"])
        self._unseen = unpack_code(frame.body)
        self.broke = self._to_leave_out(frame.head["broke"])

    def _to_leave_out(self, cell: str) -> str:
        """Return the id of the experiment cell that ended the notebook, if exercises come after it; otherwise empty."""
        place = next((n for n, each in enumerate(self.cells) if each.id == cell), len(self.cells))
        after = any(each.kind == "grade" and each.exercise in self.questions for each in self.cells[place:])
        return cell if after and self.cells[place].kind in EXPERIMENTS else ""

    def _receive(self, deadline: float) -> Frame:
        frame = self.line.receive(deadline)
        if frame is None:
            raise Broken("closed")
        return frame

    def _hear(self, frame: Frame) -> None:
        """Record a cell's output, or that a grade cell was reached. A student may have forged the message."""
        head = frame.head
        if head.get("is") == "cell" and head.get("cell") in {cell.id for cell in self.cells}:
            self.outputs[head["cell"]] = read_outputs(frame.body, self.limits)
            self._miss(head.get("missing"))
        exercise = head.get("exercise")
        if head.get("is") == "reached" and isinstance(exercise, str) and exercise in self._known:
            if head.get("known") is True:
                self._parked.add(exercise)
            else:
                symbol = self._known[exercise]
                self._miss(symbol)
                self._fill(
                    exercise, self._why_missing(exercise) or Error("NameError", f"name {symbol!r} is not defined")
                )

    def _miss(self, name: object) -> None:
        """Record that a name was not defined, if a demo cell defines it."""
        self.unknown_name |= isinstance(name, str) and any(name in defined for defined in self._defined)

    def _why_missing(self, exercise: str) -> Error | None:
        """Return the error that ended the exercise's own cell and left its name undefined."""
        asked = next(place for place, cell in enumerate(self.cells) if cell.exercise == exercise)
        own = next((cell for cell in reversed(self.cells[:asked]) if cell.kind == "exercise"), None)
        for output in self.outputs.get(own.id, ()) if own else ():
            if output["output_type"] == "error":
                return Error(*(visible(readable(text)) for text in (output["ename"], _CELL.sub("", output["evalue"]))))
        return None

    def _ask(self, exercise: str) -> None:
        """Ask one exercise's questions, and read the answers as they arrive."""
        questions = self.questions[exercise]
        if exercise in self.all_answers:
            return
        if PUBLIC + exercise in self._waits:  # it would wait again
            self._fill(exercise, self._waits[PUBLIC + exercise])
            return
        asked = PUBLIC + exercise if PUBLIC + exercise in self._alive else exercise
        deadline = time.monotonic() + self.limits.answer_wall_seconds + _GRACE
        tensors: dict[str, Tensor] = {}
        packed = pack(encode_questions(questions, tensors), tensors)
        self.all_answers[exercise] = {}
        room = Room()
        problem, twice = Failure.UNANSWERED.error(), False
        self.asked |= not exercise.startswith(PUBLIC)
        try:
            self.line.send({"is": "questions", "exercise": asked}, packed, deadline)
            while (frame := self._receive(deadline)).head.get("is") == "answer":
                try:
                    twice |= not self._note(exercise, frame.body, room)
                except Exception as error:  # a student's bytes may cause any error in our readers
                    problem = Failure.UNREADABLE.error(str(error)[:300])
            self._unseen |= unpack_code(frame.body)
            code = "forged" if twice else frame.head.get("problem", "")
            if not code:
                self._alive.add(asked)
            if code in _PROBLEMS:
                failure, text = _PROBLEMS[code]
                problem = failure.error(text.format(limits=self.limits))
            if code in ("unfinished", "waits"):
                self._waits[exercise] = problem
            self._unfinished |= code == "unfinished"
            if code in ("not alone", "forged"):
                self.all_answers[exercise] = {}
            if code in ("late", "unfinished", "waits", "not alone", "forged") and self.status == "graded":
                self.status, self.reason = "stopped", f"{exercise.removeprefix(PUBLIC)}: {problem.message}"
        finally:
            self._fill(exercise, problem)

    def _note(self, exercise: str, data: bytes, room: Room) -> bool:
        """Keep new answers to questions that were asked, within the size limit.

        Returns:
            Whether there was one. An answerer answers each question once, so another answer is forged.
        """
        missing = {question.name for question in self.questions[exercise]} - self.all_answers[exercise].keys()
        found = decode_answers(*unpack(data), missing)
        for name, answer in found.items():
            self.all_answers[exercise][name] = _without_our_names(plain_answer(answer, room))
            # a process that has seen a hidden question can't decide whether the notebook runs again
            if exercise in self._deciding and answer.error is not None and answer.error.type == "NameError":
                self._miss(answer.error.message.partition("'")[2].partition("'")[0])
        return bool(found)

    def _fill(self, exercise: str, error: Error) -> None:
        """Record the error for every missing answer."""
        answers = self.all_answers.setdefault(exercise, {})
        for question in self.questions.get(exercise, ()):
            answers.setdefault(question.name, Answer(error=error))


def _without_our_names(answer: Answer) -> Answer:
    """Rename a student's exception that has the name of one of our failures, unless an answerer finds that failure."""
    if answer.error and Failure.of(answer.error) not in (None, Failure.UNREADABLE, Failure.OTHER_FORM):
        return Answer(error=replace(answer.error, type="Exception"))
    return answer


def _with_public(cells: Sequence[Cell], public: Questions) -> Iterator[Cell]:
    """Return the cells, with a second grade cell for each exercise that has public questions, too.

    So there are two snapshots. One answers all questions, because the first answer of a process takes much longer
    than the next ones. The other is a spare in case the public questions end the first.
    """
    for cell in cells:
        if cell.kind == "grade" and cell.exercise in public:
            yield replace(cell, id=PUBLIC + cell.id, exercise=PUBLIC + cell.exercise)
        yield cell
