"""Provide the course's grading as steps of `nbgrader autograde`: rebuild, run in the sandbox, save."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from nbgrader.api import Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor, SaveAutoGrades

from autograder.gradebook.answers import Answers
from autograder.gradebook.by_hand import given, mark, review
from autograder.gradebook.gradebook import Records
from autograder.grading.graded import Graded
from autograder.grading.grader import Grader, make_grader
from autograder.grading.origin import digest
from autograder.grading.pool import Ready
from autograder.grading.sandbox import Sandbox
from autograder.grading.secret import draw_anew
from autograder.nbgrader_commands.converter import submitted_bytes
from autograder.records.answers import answers_in, earlier_answers
from autograder.records.archive import Archive, class_archive
from autograder.records.late_policy import lateness_of
from autograder.records.record import not_final
from autograder.records.regrading import is_later, record_of, save_failed
from course_lib.course import find_course

Notebook = Any
Resources = dict[str, Any]

#: data that one step leaves for a later one, by student
_rebuilt: dict[str, Ready] = {}
_graded: dict[str, Graded] = {}
_scored: dict[str, dict[str, str]] = {}
#: the students whose points, notebook and record have all been written, so that a later step cannot undo them
_kept: set[str] = set()
_sandboxes: dict[str, Sandbox] = {}


@cache
def _grader(lesson: str) -> Grader:
    course = find_course()
    return make_grader(course, course.lesson(lesson), class_archive(course).folder)


@cache
def _archive() -> Archive:
    return class_archive(find_course())


@cache
def _draw_anew(lesson: str) -> None:
    """Generate new hidden questions, once in a run, because a student who was graded before could know the old ones."""
    draw_anew(_archive().folder, lesson, "nbgrader autograde grades a submission that was graded before")
    _grader.cache_clear()


def _sandbox(lesson: str) -> Sandbox:
    """Return the sandbox for all submissions of a run. It ends with the process at the latest."""
    if lesson not in _sandboxes:
        _sandboxes[lesson] = _grader(lesson).sandbox().__enter__()
    return _sandboxes[lesson]


def forget() -> None:
    """Start a new run: read the course again, and allow new hidden questions again."""
    for sandbox in _sandboxes.values():
        sandbox.stop()
    _sandboxes.clear()
    _rebuilt.clear()
    _graded.clear()
    _scored.clear()
    _kept.clear()
    for kept in (_grader, _archive, _draw_anew):
        kept.cache_clear()


def is_kept(student: str) -> bool:
    """Return whether the points, notebook and record of a student's last submission have all been written."""
    return student in _kept


class RebuildSubmission(NbGraderPreprocessor):  # type: ignore[misc]
    """The first sanitising step, which puts the student's sources into the released notebook."""

    def preprocess(self, nb: Notebook, resources: Resources) -> tuple[Notebook, Resources]:
        """Make the notebook from the submitted bytes.

        Raises:
            UnreadableError: the submission is not a notebook, which is recorded.
        """
        lesson, student = resources["nbgrader"]["assignment"], resources["nbgrader"]["student"]
        _kept.discard(student)
        before = _archive().record(lesson, student)
        if before and before["asked"]:
            _draw_anew(lesson)
        grader, submitted = _grader(lesson), submitted_bytes(resources)
        try:
            rebuilt = grader.rebuild(submitted)
        except Exception as error:
            _save_failed(grader.failed_by(student, error), resources)
            raise
        _rebuilt[student] = Ready(student, digest(grader.origin, submitted), rebuilt)
        for note in rebuilt.notes:
            self.log.warning("%s: %s", student, note)
        return rebuilt.notebook, resources


class RunInSandbox(NbGraderPreprocessor):  # type: ignore[misc]
    """Runs cells in the sandbox instead of a kernel, and judges the outcome outside it."""

    def preprocess(self, nb: Notebook, resources: Resources) -> tuple[Notebook, Resources]:
        """Fill in the outputs. Grade cells show their points and cards.

        Raises:
            SetUpError: the course's own set-up cells fail.
            RuntimeError: the submission could not be run at all. nbgrader records it as failed.
        """
        lesson, student = resources["nbgrader"]["assignment"], resources["nbgrader"]["student"]
        grader, one = _grader(lesson), _rebuilt.pop(student)
        one = replace(one, rebuilt=replace(one.rebuilt, notebook=nb))
        unfinished = record_of(grader.failed(student, "grading it was not finished", courses_fault=True))
        before = _archive().record(lesson, student) or unfinished
        before = not_final(before)  # its code will have been asked the questions in any case
        before["asked"] = True
        _archive().hold(before)
        try:
            graded, notebook = grader.judge(one, grader.run_whole(_sandbox(lesson), one.rebuilt))
        except Exception as error:
            _save_failed(replace(grader.failed_by(student, error), asked=True), resources)
            raise
        if notebook is None:
            _save_failed(graded, resources)
            raise RuntimeError(f"{student}: {graded.reason}")
        _graded[student] = graded
        if graded.reason:
            self.log.warning("%s: %s", student, graded.reason)
        return notebook, resources


class SaveGrades(SaveAutoGrades):  # type: ignore[misc]
    """Enters points as nbgrader does, except that a manual score is kept until its answer changes."""

    def preprocess(self, nb: Notebook, resources: Resources) -> tuple[Notebook, Resources]:
        """Enter the points. A manual score waits for review if its answer has changed."""
        about = resources["nbgrader"]
        lesson, student = about["assignment"], about["student"]
        with Gradebook(about["db_url"]) as book:
            by_hand = given(book.db, lesson, student)
        nb, resources = super().preprocess(nb, resources)
        _scored[student] = {}
        if by_hand:
            now = Answers(_graded[student].file, answers_in(nb))
            waiting, _scored[student] = review(by_hand, _earlier_answers(about), now)
            with Gradebook(about["db_url"]) as book:
                mark(book.db, lesson, student, waiting)
                book.db.commit()
        return nb, resources


def _earlier_answers(about: dict[str, Any]) -> Answers:
    """Return the answers that were graded before. nbgrader has already removed the graded notebook."""
    return earlier_answers(_archive().record(about["assignment"], about["student"]), about.get("graded_before"))


class EnterTime(NbGraderPreprocessor):  # type: ignore[misc]
    """Enters the submission time together with the points, after `SaveAutoGrades`; see `PlainAutograde`."""

    def preprocess(self, nb: Notebook, resources: Resources) -> tuple[Notebook, Resources]:
        """Enter the submission time into the gradebook. Leave the notebook unchanged.

        If the time is unknown, an earlier time stays only if it belongs to the same file.
        """
        about = resources["nbgrader"]
        lesson, student = about["assignment"], about["student"]
        later = is_later(record_of(_graded[student]), _archive().record(lesson, student))
        if about["time"] is not None or later:
            with Gradebook(about["db_url"]) as book:
                book.update_or_create_submission(lesson, student, timestamp=about["time"])
        return nb, resources


class KeepRecord(NbGraderPreprocessor):  # type: ignore[misc]
    """Saves notebook and record like `course grade`, as soon as the gradebook has the points.

    So points, notebook and record stay consistent if a later step fails. The record shows what was graded, and that the
    student's code has been asked hidden questions.
    """

    def preprocess(self, nb: Notebook, resources: Resources) -> tuple[Notebook, Resources]:
        """Save the notebook and the record. Leave the notebook unchanged."""
        student = resources["nbgrader"]["student"]
        record = record_of(_graded.pop(student), nb)
        record["scored"] = _scored.pop(student, {})
        record["doubts"] = resources["nbgrader"]["doubts"]
        _archive().save(record, nb, resources["nbgrader"]["time"])
        _kept.add(student)
        return nb, resources


def _save_failed(graded: Graded, resources: Resources) -> None:
    """Record that a submission could not be graded, and keep or remove an earlier grade, as `course grade` does."""
    about, course, archive = resources["nbgrader"], find_course(), _archive()
    record, before = record_of(graded), archive.record(graded.lesson, graded.student)
    record["asked"] |= bool(before and before["asked"])
    record["doubts"] = about["doubts"]
    earlier = before if before and before["status"] != "failed" else None
    with Records(about["db_url"], graded.lesson, course.written, lateness_of(course, archive)) as records:
        save_failed(record, about["time"], earlier, course.unreadable, records, archive)
