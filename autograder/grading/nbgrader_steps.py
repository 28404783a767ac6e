"""The course's grading as steps of `nbgrader autograde`: rebuild, then run in the sandbox."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.grading.graded import Graded
from autograder.grading.grader import Grader, make_grader
from autograder.grading.nbgrader_converter import submitted_bytes
from autograder.grading.origin import digest
from autograder.grading.pool import Ready
from autograder.grading.sandbox import Sandbox
from autograder.grading.secret import draw_anew
from autograder.grading.set_up import SetUpError
from autograder.grading.submissions import UnreadableError
from autograder.records.archive import Archive, class_archive
from autograder.records.record import in_place_of
from autograder.records.regrading import record_of
from course_lib.course import find_course

Notebook = Any
Resources = dict[str, Any]

#: the submission that is being graded, by student, from one step to a later one: rebuilt, and judged
_rebuilt: dict[str, Ready] = {}
_graded: dict[str, Graded] = {}
_sandboxes: dict[str, Sandbox] = {}


@cache
def _grader(lesson: str) -> Grader:
    course = find_course()
    return make_grader(course, course.lesson(lesson), course.class_folder)


@cache
def _archive() -> Archive:
    return class_archive(find_course())


@cache
def _draw_anew(lesson: str) -> None:
    """Once in a run: whoever was graded before could have learned the hidden questions."""
    draw_anew(_archive().folder, lesson, "nbgrader autograde grades a submission that was graded before")
    _grader.cache_clear()


def _sandbox(lesson: str) -> Sandbox:
    """One sandbox for all submissions of a run; the last ends with the process."""
    if lesson not in _sandboxes:
        _sandboxes[lesson] = _grader(lesson).sandbox().__enter__()
    return _sandboxes[lesson]


def forget() -> None:
    """Begin a run anew: with the course as it is now, and questions to be drawn anew where that is due."""
    for sandbox in _sandboxes.values():
        sandbox.stop()
    _sandboxes.clear()
    _rebuilt.clear()
    _graded.clear()
    for kept in (_grader, _archive, _draw_anew):
        kept.cache_clear()


class RebuildSubmission(NbGraderPreprocessor):  # type: ignore[misc]
    """The first sanitising step: the released notebook with the student's sources in it."""

    def preprocess(self, nb: Notebook, resources: Resources) -> tuple[Notebook, Resources]:
        """Make the notebook from the bytes that were handed in.

        Raises:
            UnreadableError: it is no notebook; that is recorded.
        """
        lesson, student = resources["nbgrader"]["assignment"], resources["nbgrader"]["student"]
        before = _archive().record(lesson, student)
        if before and before["asked"]:
            _draw_anew(lesson)
        grader, submitted = _grader(lesson), submitted_bytes(resources)
        try:
            rebuilt = grader.rebuild(submitted)
        except UnreadableError as error:
            _remember(grader.failed(student, str(error)))
            raise
        _rebuilt[student] = Ready(student, digest(grader.origin, submitted), rebuilt)
        for note in rebuilt.notes:
            self.log.warning("%s: %s", student, note)
        return rebuilt.notebook, resources


class RunInSandbox(NbGraderPreprocessor):  # type: ignore[misc]
    """Instead of executing cells in a kernel: run them in the sandbox, judge outside it."""

    def preprocess(self, nb: Notebook, resources: Resources) -> tuple[Notebook, Resources]:
        """Fill in the outputs; grade cells show their points and cards.

        Raises:
            RuntimeError: the submission could not be run at all; nbgrader records it as failed.
        """
        lesson, student = resources["nbgrader"]["assignment"], resources["nbgrader"]["student"]
        grader, one = _grader(lesson), _rebuilt.pop(student)
        one = replace(one, rebuilt=replace(one.rebuilt, notebook=nb))
        if before := _archive().record(lesson, student):  # whatever comes now, it has been asked, and is not done
            before["asked"], before["digest"] = True, ""
            _archive().hold(before)
        try:
            outcome = grader.run(_sandbox(lesson), one.rebuilt)
        except SetUpError as error:
            _remember(replace(grader.failed(student, str(error), courses_fault=True), asked=True))
            raise
        graded, notebook = grader.judge(one, outcome)
        if notebook is None:
            _remember(graded)
            raise RuntimeError(f"{student}: {graded.reason}")
        _graded[student] = graded
        if graded.reason:
            self.log.warning("%s: %s", student, graded.reason)
        return notebook, resources


class KeepRecord(NbGraderPreprocessor):  # type: ignore[misc]
    """The last step: when the gradebook has the points, what was found is kept, too."""

    def preprocess(self, nb: Notebook, resources: Resources) -> tuple[Notebook, Resources]:
        """Keep the record; the notebook stays as it is."""
        _remember(_graded.pop(resources["nbgrader"]["student"]))
        return nb, resources


def _remember(graded: Graded) -> None:
    """Keep what was found where `course grade` does, which then knows what stands and who has seen the questions.

    Of a submission that fails, nbgrader leaves the points of an earlier file as they are.
    """
    record, earlier = record_of(graded), _archive().record(graded.lesson, graded.student)
    if record["status"] == "failed" and earlier:
        record["asked"] |= earlier["asked"]
        record = record if earlier["status"] == "failed" else in_place_of(record, earlier)
    _archive().save_record(record)
