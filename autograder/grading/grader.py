"""Grading a class: workers turn submissions into outcomes, one process judges and writes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import nbformat

from autograder.building.release import library_files
from autograder.exercises.key_cache import sources_digest
from autograder.grading.bubblewrap import bubblewrap_unavailable
from autograder.grading.feedback_notebook import grade, graded_notebook
from autograder.grading.forbidden_calls import mentioned
from autograder.grading.graded import Graded
from autograder.grading.hidden_keys import LessonKeys, lesson_keys
from autograder.grading.library import HeldLibrary, hold_library
from autograder.grading.pool import in_sandboxes
from autograder.grading.rebuild import LARGEST, Rebuilt, UnreadableError, rebuild
from autograder.grading.sandbox import Sandbox
from autograder.grading.secret import course_secret, draw_anew, question_secret
from autograder.grading.set_up import SetUpError, require_set_up, set_up_problem
from autograder.grading.submissions import Submission
from course_lib.checking.failure import Failure
from course_lib.contents import Entry, public_exercises
from course_lib.course import Course, CourseError
from course_lib.running.limits import Limits
from course_lib.running.outcome import PUBLIC, Outcome
from course_lib.version import __version__

Notebook = Any


@dataclass(frozen=True)
class Grader:
    """Everything that grading one lesson of one class needs, made once.

    Attributes:
        secret: what the hidden questions are drawn from.
        folder: the class's, where they are kept.
        hold: has the library lie in its store, and holds it there.
        origin: a digest of all that grades follow from, besides the submission.
    """

    lesson: str
    secret: bytes = field(repr=False)
    folder: Path
    released: Notebook
    hold: Callable[[], HeldLibrary]
    limits: Limits
    sandboxed: bool
    origin: bytes

    @property
    def exercises(self) -> tuple[Entry, ...]:
        """The lesson's exercises in order, as students know them: what can be said without the keys."""
        return tuple(exercise for exercise in public_exercises() if exercise.lesson == self.lesson)

    @property
    def symbols(self) -> dict[str, str]:
        """The name to be asked for, by exercise id."""
        return {exercise.id: exercise.symbol for exercise in self.exercises}

    @cached_property
    def library(self) -> HeldLibrary:
        """What submissions import: it stays as it is for as long as this grader lives."""
        return self.hold()

    @cached_property
    def keys(self) -> LessonKeys:
        """The lesson's keys, made when something is to be graded: that takes longer than all else."""
        return lesson_keys(self.lesson, self.secret, self.folder)

    def digest(self, submitted: bytes) -> str:
        """Another one wherever the grade of a submission could be another."""
        return hashlib.sha256(self.origin + submitted).hexdigest()

    def drawn_anew(self, reason: str) -> Grader:
        """The same grader with hidden questions that nobody has seen; the reason is recorded."""
        draw_anew(self.folder, self.lesson, reason)
        return replace(self, secret=question_secret(self.folder, self.lesson))

    def sandbox(self) -> Sandbox:
        """A new sandbox; its process starts when it is entered."""
        return Sandbox(self.library.folder, self.limits, sandboxed=self.sandboxed)

    def read(self, submission: Submission, most: int = LARGEST + 1) -> bytes:
        """A submission's file, as much of it as tells one that is too large from others.

        Raises:
            UnreadableError: there is no such file, or its folder has a name that no student has.
        """
        if submission.problem:
            raise UnreadableError(submission.problem)
        submitted = submission.read(most)
        if submitted is None:
            raise UnreadableError(f"there is no file {submission.path.name}")
        return submitted

    def rebuild(self, submitted: bytes) -> Rebuilt:
        """The submission in the released notebook.

        Raises:
            UnreadableError: it is no notebook.
        """
        return rebuild(self.released, submitted, self.symbols)

    def run(self, sandbox: Sandbox, rebuilt: Rebuilt) -> Outcome:
        """The outcome of a rebuilt submission over a set-up that works.

        Raises:
            SetUpError: the course's own set-up cells fail.
        """
        outcome = self.outcome(sandbox, rebuilt)
        require_set_up(sandbox, rebuilt, outcome)
        return outcome

    def outcome(self, sandbox: Sandbox, rebuilt: Rebuilt) -> Outcome:
        """Run a rebuilt submission: pure, and nothing of it is trusted.

        The public questions come first. What a card shows of them is answered before any process of this submission
        has seen a hidden one.
        """
        public = {name: key.questions for name, key in self.keys.public.items()}
        outcome = sandbox.run(rebuilt.cells, self.keys.questions, public=public)
        hidden = {name: sheet for name, sheet in outcome.sheets.items() if name in self.keys.hidden}
        wanted = {PUBLIC + name for name in self.keys.to_show(hidden)}
        return replace(outcome, sheets={n: sheet for n, sheet in outcome.sheets.items() if n in {*hidden, *wanted}})

    def judge(self, student: str, rebuilt: Rebuilt, outcome: Outcome) -> tuple[Graded, Notebook | None]:
        """Judge an outcome; the graded notebook is None where nothing could be run."""
        notes = [*rebuilt.notes, *mentioned(rebuilt.notebook, self.keys)]
        if problem := set_up_problem(rebuilt, outcome):
            notes.append(f"{problem}; by itself it runs")
        graded = grade(student, self.keys, outcome, tuple(notes), self.sandboxed)
        for name, verdict in graded.verdicts.items():
            if verdict.error and Failure.of(verdict.error) is Failure.UNJUDGED:
                notes.append(f"{name} could not be judged ({verdict.error.message}): look at it by hand")
        graded = replace(graded, notes=tuple(notes), asked=True)
        return graded, None if graded.status == "failed" else graded_notebook(rebuilt, self.keys, outcome, graded)

    def failed(self, student: str, reason: str, courses_fault: bool = False) -> Graded:
        """The record of a submission that could not be run."""
        max_score = sum(exercise.points for exercise in self.exercises)
        return Graded(
            student, self.lesson, "failed", reason, {}, max_score, (), self.sandboxed, courses_fault=courses_fault
        )


def make_grader(course: Course, lesson: str, class_folder: Path, unsandboxed: bool = False) -> Grader:
    """Prepare to grade a lesson.

    Args:
        class_folder: holds the course's secret.

    Raises:
        CourseError: the lesson is not built, the secret cannot be read or written, or there is no sandbox and none
            was waived.
    """
    path = course.student_notebook(lesson)
    if not path.is_file():
        raise CourseError(f"{lesson} is not built. Run: course build")
    missing = None if unsandboxed else bubblewrap_unavailable()
    if missing:
        raise CourseError(
            f"Submissions are run in a sandbox, and it cannot be used here: {missing}. Install bubblewrap "
            "(Debian, Ubuntu: apt-get install bubblewrap), or pass --unsandboxed if you trust every submission; "
            "the records will say so."
        )
    try:
        secret, limits = course_secret(class_folder), Limits.of(course)
    except OSError as error:
        raise CourseError(f"The secret of the class in {class_folder} cannot be used: {error.strerror}.") from None
    return Grader(
        lesson=lesson,
        secret=question_secret(class_folder, lesson),
        folder=class_folder,
        released=nbformat.read(path, as_version=nbformat.NO_CONVERT),
        hold=lambda: hold_library(lesson, library_files(course, lesson, whole=False)),
        limits=limits,
        sandboxed=not unsandboxed,
        origin=_digest(
            path.read_bytes(),
            secret,
            repr((__version__, limits, unsandboxed, course.policy)).encode(),
            sources_digest(),
        ),
    )


def _digest(*parts: bytes) -> bytes:
    """Of several strings of bytes; where one ends and the next begins counts."""
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).digest()


def grade_class(
    grader: Grader, submissions: Iterable[Submission], workers: int
) -> Generator[tuple[Graded, Notebook | None]]:
    """Grade submissions, and yield each as soon as it is judged, which happens in the caller's thread.

    Raises:
        CourseError: the course's own set-up cells failed in two submissions in a row.
    """
    there = []
    for submission in submissions:
        try:
            grader.read(submission, most=0)
        except UnreadableError as error:  # to say so takes neither keys nor a sandbox
            yield grader.failed(submission.student, str(error)), None
            continue
        except OSError:  # its own run will meet it again, and record it
            pass
        there.append(submission)
    if not there:
        return

    def run(sandbox: Sandbox, submission: Submission) -> tuple[bytes, Rebuilt, Outcome]:
        submitted = grader.read(submission)
        rebuilt = grader.rebuild(submitted)
        return submitted, rebuilt, grader.run(sandbox, rebuilt)

    failed_before = False
    in_each = in_sandboxes(grader.sandbox, there, min(workers, len(there)), run, lambda: grader.keys)
    for submission, done in in_each:
        student, notebook, set_up_failed = submission.student, None, ""
        try:
            submitted, rebuilt, outcome = done.result()
            graded, notebook = grader.judge(student, rebuilt, outcome)
            if graded.status != "failed" and not outcome.broken:
                graded = replace(graded, digest=grader.digest(submitted))
        except UnreadableError as error:
            graded = grader.failed(student, str(error))
        except SetUpError as error:
            set_up_failed = str(error)
            graded = replace(grader.failed(student, set_up_failed, courses_fault=True), asked=True)
        except Exception as error:  # whatever it is, it must not cost the others their grades
            reason = f"grading it failed: {type(error).__name__}: {error}"[:300]
            graded = replace(grader.failed(student, reason, courses_fault=True), asked=True)
        yield graded, notebook
        if set_up_failed and failed_before:
            raise CourseError(
                f"Grading was stopped, because in two submissions in a row {set_up_failed}. It cost nobody a point. "
                "Mend the lesson and run course build."
            )
        failed_before = bool(set_up_failed)
