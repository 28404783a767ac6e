"""Grading a class: workers turn submissions into outcomes, one process judges and writes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import nbformat

from autograder.building.release import release_library
from autograder.grading.by_hand import mentioned
from autograder.grading.grade import grade, graded_notebook
from autograder.grading.keys import LessonKeys, lesson_keys
from autograder.grading.pool import in_sandboxes
from autograder.grading.rebuild import LARGEST, Rebuilt, UnreadableError, rebuild
from autograder.grading.sandbox import Limits, Sandbox, bubblewrap_unavailable
from autograder.grading.secret import course_secret, draw_anew, question_secret
from autograder.grading.submission import Graded, Outcome
from autograder.grading.submissions import Submission
from course_lib.checking.key import KEYS
from course_lib.course import Course, CourseError
from course_lib.running.outcome import PUBLIC
from course_lib.version import __version__

Notebook = Any


@dataclass(frozen=True)
class Grader:
    """Everything that grading one lesson of one class needs, made once.

    Attributes:
        origin: a digest of all that grades follow from, besides the submission.
    """

    keys: LessonKeys
    released: Notebook
    library: Path
    limits: Limits
    sandboxed: bool
    origin: bytes

    def digest(self, submitted: bytes) -> str:
        """Another one wherever the grade of a submission could be another."""
        return hashlib.sha256(self.origin + submitted).hexdigest()

    def drawn_anew(self, class_folder: Path, reason: str) -> Grader:
        """The same grader with hidden questions that nobody has seen; the reason is recorded."""
        draw_anew(class_folder, self.keys.lesson, reason)
        return replace(self, keys=lesson_keys(self.keys.lesson, question_secret(class_folder, self.keys.lesson)))

    def sandbox(self) -> Sandbox:
        """A new sandbox; its process starts when it is entered."""
        return Sandbox(self.library, self.limits, sandboxed=self.sandboxed)

    def read(self, submission: Submission) -> bytes:
        """A submission's file, as much of it as may be told apart from one that is too large.

        Raises:
            UnreadableError: there is no such file, or its folder has a name that no student has.
        """
        if submission.problem:
            raise UnreadableError(submission.problem)
        submitted = submission.read(LARGEST + 1)
        if submitted is None:
            raise UnreadableError(f"there is no file {submission.path.name}")
        return submitted

    def rebuild(self, submitted: bytes) -> Rebuilt:
        """The submission in the released notebook.

        Raises:
            UnreadableError: it is no notebook.
        """
        return rebuild(self.released, submitted, self.keys.symbols)

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
        notes = (*rebuilt.notes, *mentioned(rebuilt.notebook, self.keys))
        graded = grade(student, self.keys, outcome, notes, self.sandboxed)
        return graded, None if graded.status == "failed" else graded_notebook(rebuilt, self.keys, outcome, graded)

    def failed(self, student: str, reason: str) -> Graded:
        """The record of a submission that could not be run."""
        return Graded(student, self.keys.lesson, "failed", reason, {}, self.keys.max_score, (), self.sandboxed)


def make_grader(course: Course, lesson: str, class_folder: Path, unsandboxed: bool = False) -> Grader:
    """Prepare to grade a lesson.

    Args:
        class_folder: holds the course's secret.

    Raises:
        CourseError: the lesson is not built, or there is no sandbox and none was waived.
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
    library = course.root / "build" / "released" / lesson
    secret, limits = course_secret(class_folder), Limits.of(course)
    return Grader(
        keys=lesson_keys(lesson, question_secret(class_folder, lesson)),
        released=nbformat.read(path, as_version=nbformat.NO_CONVERT),
        library=release_library(lesson, library),
        limits=limits,
        sandboxed=not unsandboxed,
        origin=_digest(path.read_bytes(), secret, repr((__version__, limits, unsandboxed)).encode(), *_keys(lesson)),
    )


def _keys(lesson: str) -> Iterator[bytes]:
    """The files of a lesson's public keys: they change with its questions, laws and known mistakes."""
    return (path.read_bytes() for path in sorted((KEYS / lesson).glob("*")))


def _digest(*parts: bytes) -> bytes:
    """Of several strings of bytes; where one ends and the next begins counts."""
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).digest()


def grade_class(
    grader: Grader, submissions: Iterable[Submission], workers: int
) -> Iterator[tuple[Graded, Notebook | None]]:
    """Grade submissions, and yield each as soon as it is judged, which happens in the caller's thread."""

    def run(sandbox: Sandbox, submission: Submission) -> tuple[bytes, Rebuilt, Outcome]:
        submitted = grader.read(submission)
        rebuilt = grader.rebuild(submitted)
        return submitted, rebuilt, grader.outcome(sandbox, rebuilt)

    for submission, done in in_sandboxes(grader.sandbox, submissions, workers, run):
        student, notebook = submission.student, None
        try:
            submitted, rebuilt, outcome = done.result()
            graded, notebook = grader.judge(student, rebuilt, outcome)
            if graded.status != "failed":
                graded = replace(graded, digest=grader.digest(submitted))
        except UnreadableError as error:
            graded = grader.failed(student, str(error))
        except Exception as error:  # whatever it is, it must not cost the others their grades
            graded = grader.failed(student, f"grading it failed: {type(error).__name__}: {error}"[:300])
        yield graded, notebook
