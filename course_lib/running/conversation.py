"""The conversation with a supervisor: cells and questions go in, an outcome comes back.

This side is trusted and reads what is not. Whatever arrives, or fails to, it ends in time and
keeps what arrived before.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace

from torch import Tensor

from course_lib.checking.exercise import Question
from course_lib.checking.failure import Failure
from course_lib.checking.formatting import visible
from course_lib.checking.questions import encode_questions
from course_lib.checking.sheet import Answer, Error, decode_sheet, pack, plain_answer, unpack
from course_lib.checking.values import Room, readable
from course_lib.running.budgets import EXPERIMENTS
from course_lib.running.cell import Cell
from course_lib.running.defined import names_in_each
from course_lib.running.frames import Broken, Frame, Line
from course_lib.running.limits import Limits
from course_lib.running.outcome import PUBLIC, Outcome, Output, Status
from course_lib.running.outputs import read_outputs

Questions = Mapping[str, tuple[Question, ...]]

_CELL = re.compile(r"<ipython-input-[^>]*>, ")  #: what IPython calls a cell, in the text of a SyntaxError
_GRACE = 15.0  #: seconds beyond the limits, for starting and stopping processes on a busy machine

#: what the answerer's word for a problem stands for
_PROBLEMS = {
    "late": (Failure.TIME_LIMIT, "stopped after {limits.answer_seconds:g} s of processor time"),
    "waits": (
        Failure.UNFINISHED,
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
    "too long": (Failure.TOO_LONG, "the answers take more than {limits.answer_bytes:,} bytes"),
}


class Conversation:
    """One run of a notebook, seen from outside.

    Args:
        public: questions that are answered before any of the others is sent: nothing of this run that may be shown,
            no output and no public answer, is made after any process has seen a hidden question. Whatever processes
            share, the page cache for one, carries no message back.

    Attributes:
        status, reason, outputs, sheets: as in `Outcome`; complete after `hold`.
        used: seconds that the cells have used of each budget, see `Budgets`.
        broke: the student's own cell that ended the notebook's process before every exercise was reached.
        unknown_name: whether a name was missing that a demo cell defines.
        broken: whether the other end fell silent or apart, and must be ended by force.
        asked: whether questions that may not be shown were sent.
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
        self.sheets: dict[str, dict[str, Answer]] = {}
        self.unknown_name = False
        self.broken = self.asked = False
        self._known = {cell.exercise: cell.symbol for cell in self.cells if cell.kind == "grade"}
        self._defined = names_in_each(cell.source for cell in self.cells if cell.kind == "demo")
        self._deciding = [name for name in self.questions if name.startswith(PUBLIC)] or [*self.questions]
        self._parked: set[str] = set()
        self._waits: dict[str, Error] = {}  # by exercise
        self._unfinished = False  # whether the machine was too busy
        self._alive: set[str] = set()  # answerers that have answered, and may be asked once more
        self._started = time.monotonic()

    def hold(self) -> Outcome:
        """Run the cells, ask the questions, hang up."""
        try:
            self._run()
            for exercise in self.questions:  # the public ones first
                if self.broke or (self.unknown_name and not self.demos):
                    break  # it is run again without the cell, or with the demos
                if exercise in self._parked:
                    self._ask(exercise)
        except TimeoutError:
            self._fail("its processes did not end when their time was over")
        except (OSError, Broken):
            self._fail("its processes ended without a word")
        finally:
            self.line.close()
        seconds = time.monotonic() - self._started
        found = self.status, self.reason, self.outputs, self.sheets, seconds
        return Outcome(*found, broken=self.broken, unfinished=self._unfinished, asked=self.asked)

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
        self.broke = self._to_leave_out(frame.head["broke"])

    def _to_leave_out(self, cell: str) -> str:
        """A cell with which the notebook ended, where exercises come after it; an experiment, and no part of them."""
        place = next((n for n, each in enumerate(self.cells) if each.id == cell), len(self.cells))
        after = any(each.kind == "grade" and each.exercise in self.questions for each in self.cells[place:])
        return cell if after and self.cells[place].kind in EXPERIMENTS else ""

    def _receive(self, deadline: float) -> Frame:
        frame = self.line.receive(deadline)
        if frame is None:
            raise Broken("closed")
        return frame

    def _hear(self, frame: Frame) -> None:
        """Note what a cell showed, or that a grade cell was reached. The student may have written it."""
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
        """Note a name that was not defined, if the demo cells could have helped."""
        self.unknown_name |= isinstance(name, str) and any(name in defined for defined in self._defined)

    def _why_missing(self, exercise: str) -> Error | None:
        """The error in which the exercise's own cell ended, so that nothing of that name is there."""
        asked = next(place for place, cell in enumerate(self.cells) if cell.exercise == exercise)
        own = next((cell for cell in reversed(self.cells[:asked]) if cell.kind == "exercise"), None)
        for output in self.outputs.get(own.id, ()) if own else ():
            if output["output_type"] == "error":
                return Error(*(visible(readable(text)) for text in (output["ename"], _CELL.sub("", output["evalue"]))))
        return None

    def _ask(self, exercise: str) -> None:
        """Have one exercise's questions answered, and read the answers as they come."""
        questions = self.questions[exercise]
        if exercise in self.sheets:
            return
        if PUBLIC + exercise in self._waits:  # it would wait once more
            self._fill(exercise, self._waits[PUBLIC + exercise])
            return
        asked = PUBLIC + exercise if PUBLIC + exercise in self._alive else exercise
        deadline = time.monotonic() + self.limits.answer_wall_seconds + _GRACE
        tensors: dict[str, Tensor] = {}
        packed = pack(encode_questions(questions, tensors), tensors)
        self.sheets[exercise] = {}
        room = Room()
        problem = Failure.UNANSWERED.error()
        self.asked |= not exercise.startswith(PUBLIC)
        try:
            self.line.send({"is": "questions", "exercise": asked}, packed, deadline)
            while (frame := self._receive(deadline)).head.get("is") == "answer":
                try:
                    self._note(exercise, frame.body, room)
                except Exception as error:  # whatever a student's bytes make our readers raise
                    problem = Failure.UNREADABLE.error(str(error)[:300])
            code = frame.head.get("problem", "")
            if not code:
                self._alive.add(asked)
            if code in _PROBLEMS:
                failure, text = _PROBLEMS[code]
                problem = failure.error(text.format(limits=self.limits))
            if code in ("unfinished", "waits"):
                self._waits[exercise] = problem
            self._unfinished |= code == "unfinished"
            if code == "not alone":
                self.sheets[exercise] = {}
            if code in ("late", "unfinished", "waits", "not alone") and self.status == "graded":
                self.status, self.reason = "stopped", f"{exercise.removeprefix(PUBLIC)}: {problem.message}"
        finally:
            self._fill(exercise, problem)

    def _note(self, exercise: str, data: bytes, room: Room) -> None:
        """Keep the answers to what was asked and is not answered yet, as far as there is room."""
        missing = {question.name for question in self.questions[exercise]} - self.sheets[exercise].keys()
        for name, answer in decode_sheet(*unpack(data), missing).items():
            self.sheets[exercise][name] = plain_answer(answer, room)
            # who has seen a hidden question has no say in whether the notebook is run once more
            if exercise in self._deciding and answer.error is not None and answer.error.type == "NameError":
                self._miss(answer.error.message.partition("'")[2].partition("'")[0])

    def _fill(self, exercise: str, error: Error) -> None:
        """Let the error stand for every answer that did not come."""
        sheet = self.sheets.setdefault(exercise, {})
        for question in self.questions.get(exercise, ()):
            sheet.setdefault(question.name, Answer(error=error))


def _with_public(cells: Sequence[Cell], public: Questions) -> Iterator[Cell]:
    """The cells; where an exercise has public questions too, its grade cell twice.

    So there are two snapshots. One answers all questions, because the first answer of a process costs a lot more than
    the next ones; the other is there in case the public questions end it.
    """
    for cell in cells:
        if cell.kind == "grade" and cell.exercise in public:
            yield replace(cell, id=PUBLIC + cell.id, exercise=PUBLIC + cell.exercise)
        yield cell
