"""Run the challenge. Each submission trains and translates in the grader's sandbox, and is scored outside."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from autograder.building.release import library_files
from autograder.challenge.parts import parts_of
from autograder.challenge.reasons import SYMBOL, UNSCORABLE, error_of, no_answer
from autograder.challenge.static_checks import notes_on
from autograder.class_folder.log import shortened
from autograder.grading.forbidden_calls import LONGEST
from autograder.grading.grader import Grader, make_grader
from autograder.grading.pool import in_sandboxes
from autograder.grading.sandbox import Sandbox
from autograder.grading.secret import course_secret
from autograder.submissions.submission import Submission
from course_lib.challenge import Scores, Task, make_task, scores
from course_lib.challenge.compete import Compete, allowed
from course_lib.checking.failure import Failure
from course_lib.course import Course
from course_lib.our_errors import report
from course_lib.own_parts.parts import Part
from course_lib.rebuilding.rebuild import Rebuilt
from course_lib.running.cell import Cell
from course_lib.running.limits import Limits
from course_lib.running.notebook_file import UnreadableError
from course_lib.running.outcome import Outcome
from course_lib.source_names import bound_names

NAME = "challenge"  #: the question's name
LOADING = 30.0  #: the most CPU seconds of the cells before ``train``, which have no data to learn from
PROCESSES = 8  #: the most of a notebook: ours, its own, and threads that are ending. Training may not start any
#: the most bytes of all code, including the student's parts of earlier lessons. The solutions take 116,000, and
#: pretrained weights would take a million
LONGEST_CODE = 230_000
PARTS = "own-parts"  #: the cell in which the student's parts of earlier lessons replace ours

_PUT_PARTS = """
import json, pathlib
from course_lib.own_parts.shadow import put
for _symbol, _source in json.loads({parts!r}).items():
    put(_symbol, _source, pathlib.Path(_symbol + ".py"))
"""


@dataclass(frozen=True)
class Entry:
    """The result of one submission.

    Attributes:
        scores: the scores, or None if there are none.
        reason: why there are no scores.
        seconds: the CPU seconds of all processes, from the first cell to the last translation, or the wall time if
            they are unknown.
        parts: the course's components, and the author of each.
        notes: remarks for the instructor.
    """

    student: str
    scores: Scores | None = None
    reason: str = ""
    seconds: float = 0.0
    parts: tuple[Part, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def own(self) -> int:
        """Return the number of parts that the student wrote."""
        return sum(part.yours for part in self.parts)


@dataclass(frozen=True)
class Challenge:
    """Everything that one challenge of one class needs."""

    grader: Grader
    task: Task

    @property
    def allowed(self) -> float:
        """Return the most CPU seconds of one submission."""
        return allowed(self.task.seconds) + LOADING

    def sandbox(self) -> Sandbox:
        """Return a new sandbox, whose process starts when it is entered."""
        return Sandbox(
            self.grader.library.folder,
            _limits(self),
            sandboxed=self.grader.sandboxed,
            preload=("course_lib.challenge",),
            private=self.grader.private,
        )

    def enter(self, sandbox: Sandbox, submission: Submission) -> Entry:
        """Run one submission, and score it.

        Raises:
            UnreadableError: the file is missing or not a notebook.
        """
        rebuilt = self.grader.rebuild(submission.require())
        parts = parts_of(submission, sandbox, self.grader.lesson)
        code = [cell.source for cell in rebuilt.cells]
        earlier = {part.symbol: part.source for part in parts if part.yours and part.lesson != self.grader.lesson}
        entry = Entry(submission.student, parts=tuple(parts), notes=rebuilt.notes)
        if (length := sum(len(source.encode()) for source in (*code, *earlier.values()))) > LONGEST_CODE:
            reason = f"its code and its own parts have {length:,} bytes, and may have {LONGEST_CODE:,}"
            return replace(entry, reason=f"{reason}: nothing learned before")
        entry = replace(entry, notes=(*entry.notes, *notes_on(code, earlier.values(), self.grader.released)))
        question = Compete(NAME, **self.task.given(), strict=True)
        outcome = sandbox.run(_cells(rebuilt, earlier), {NAME: (question,)})
        unseen = [text for text in outcome.unseen if text not in earlier.values()]
        of_unseen = notes_on(unseen, (), self.grader.released)
        entry = replace(entry, notes=(*entry.notes, *(f"in code that is in no cell, {note}" for note in of_unseen)))
        seconds = outcome.seconds if outcome.processor_seconds is None else outcome.processor_seconds
        return self._score(replace(entry, seconds=seconds), outcome)

    def _score(self, entry: Entry, outcome: Outcome) -> Entry:
        if stopped := error_of(outcome.outputs.get(PARTS, ())):
            return replace(entry, reason=f"its own parts cannot take the place of the course's: {stopped}"[:300])
        answer = outcome.all_answers.get(NAME, {}).get(NAME) or Failure.UNANSWERED.answer()
        if answer.error:
            budget = allowed(self.task.seconds)
            return replace(entry, reason=no_answer(answer.error, entry.seconds, budget, outcome))
        if self.grader.sandboxed and entry.seconds > self.allowed:
            return replace(entry, reason=f"it used {entry.seconds:.0f} CPU seconds, and may use {self.allowed:.0f}")
        try:
            return replace(entry, scores=scores(self.task, answer.values))
        except ValueError:
            return replace(entry, reason=UNSCORABLE)


def make_challenge(
    course: Course,
    lesson: str,
    class_folder: Path,
    seconds: float,
    unsandboxed: bool,
    submissions: Iterable[Submission] = (),
) -> Challenge:
    """Prepare a challenge.

    Args:
        lesson: the lesson whose notebook defines ``train``.
        class_folder: the folder with the class's secret, which seeds the words, pairs and sentences.
        seconds: the CPU seconds that ``train`` may use.
        submissions: all submissions. They must not see each other.

    Raises:
        CourseError: the lesson is not built, or there is no sandbox and none was waived.
    """
    grader = make_grader(course, lesson, class_folder, unsandboxed, submissions=submissions)
    # the library at the end of the lesson, with every part up to it but without pretrained weights
    released = library_files(course, f"{lesson}~", whole=False).items()
    files = {name: content for name, content in released if not PurePath(name).match("translator/*.safetensors")}
    secret = course_secret(class_folder, course.graders)
    return Challenge(replace(grader, files=lambda: files), make_task(secret, seconds))


def hold(challenge: Challenge, submissions: Sequence[Submission], workers: int) -> Generator[Entry]:
    """Run submissions, and yield the result of each as soon as it is known."""
    for submission, done in in_sandboxes(challenge.sandbox, submissions, workers, challenge.enter):
        try:
            entry = done.result()
        except UnreadableError as error:
            entry = Entry(submission.student, reason=str(error))
        except Exception as error:  # an error in one submission must not affect the others
            report(error, f"running {submission.student}'s translator")
            entry = Entry(submission.student, reason=f"running it failed: {shortened(error)}")
        yield entry


def ranked(entries: Iterable[Entry]) -> list[Entry]:
    """Sort entries by score, the best first. Put those without a score last, sorted by name."""
    return sorted(
        entries, key=lambda e: (-e.scores.score, -e.scores.bleu, e.student) if e.scores else (1, 0, e.student)
    )


def _limits(challenge: Challenge) -> Limits:
    """Return the limits: the allowed CPU time, and a multiple of it in wall time because the machine may be busy.

    Training may not start other processes, because the kernel does not count the time of a process that nobody waits
    for, and the monitor may miss one that ends soon.
    """
    total = allowed(challenge.task.seconds)
    limits = challenge.grader.limits
    return replace(
        limits,
        processes=PROCESSES,
        answer_alone=True,
        cell_seconds=max(limits.cell_seconds, LOADING),
        total_seconds=max(limits.total_seconds, 2 * LOADING),
        answer_seconds=total,
    )


def _cells(rebuilt: Rebuilt, earlier: Mapping[str, str]) -> list[Cell]:
    """Return the parts of earlier lessons, the student's cells, and the demos that define ``train``.

    Make all of them ``own`` cells, so that a missing ``train`` is not reported as the error of some exercise.
    """
    cells = [Cell(PARTS, "setup", _PUT_PARTS.format(parts=json.dumps(dict(earlier))))]
    for cell in rebuilt.cells:
        if cell.kind in ("setup", "exercise", "own") or (cell.kind == "demo" and _defines_train(cell.source)):
            cells.append(replace(cell, kind="own"))
    return [*cells, Cell(NAME, "grade", "", NAME, SYMBOL)]


def _defines_train(source: str) -> bool:
    try:
        return len(source) <= LONGEST and SYMBOL in bound_names(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
