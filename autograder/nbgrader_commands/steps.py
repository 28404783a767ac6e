"""Provide the course's grading as steps of `nbgrader autograde`: rebuild, run in the sandbox, save."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.gradebook.gradebook import Records
from autograder.grading.graded import Graded
from autograder.grading.grader import Grader, make_grader
from autograder.grading.origin import digest
from autograder.grading.pool import Ready
from autograder.grading.sandbox import Sandbox
from autograder.grading.secret import draw_anew
from autograder.nbgrader_commands.converter import submitted_bytes
from autograder.records.archive import Archive, class_archive
from autograder.records.graded_record import record_of
from autograder.records.late_policy import lateness_of
from autograder.records.record import not_final
from autograder.records.saving import Saving
from course_lib.course import find_course

Notebook = Any
Resources = dict[str, Any]

#: data that one step leaves for a later one, by student
_rebuilt: dict[str, Ready] = {}
_graded: dict[str, Graded] = {}
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
            _save(grader.failed_by(student, error), None, resources)
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
            _save(replace(grader.failed_by(student, error), asked=True), None, resources)
            raise
        if notebook is None:
            _save(graded, None, resources)
            raise RuntimeError(f"{student}: {graded.reason}")
        _graded[student] = graded
        if graded.reason:
            self.log.warning("%s: %s", student, graded.reason)
        return notebook, resources


class SaveSubmission(NbGraderPreprocessor):  # type: ignore[misc]
    """Saves points, notebook and record as `course grade` does."""

    def preprocess(self, nb: Notebook, resources: Resources) -> tuple[Notebook, Resources]:
        """Save the submission. Leave the notebook unchanged."""
        student = resources["nbgrader"]["student"]
        _save(_graded.pop(student), nb, resources)
        _kept.add(student)
        return nb, resources


def _save(graded: Graded, notebook: Notebook | None, resources: Resources) -> None:
    """Save a submission, or record that it could not be graded.

    nbgrader has already removed the notebook that was graded before, so `PlainAutograde` passes it on.
    """
    about, course, archive = resources["nbgrader"], find_course(), _archive()
    record, before = record_of(graded, notebook), archive.record(graded.lesson, graded.student)
    record["asked"] |= bool(before and before["asked"])
    record["doubts"] = about["doubts"]
    earlier = before if before and before["status"] != "failed" else None
    with Records(about["db_url"], graded.lesson, course.written, lateness_of(course, archive)) as records:
        saving = Saving(records, archive, course.unreadable, earlier, lambda: about.get("graded_before"))
        saving.save(record, notebook, about["time"])
