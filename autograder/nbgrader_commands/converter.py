"""Make `nbgrader autograde` as strict about a submission's folder as `course grade`, and use `course feedback`'s pages.

nbgrader reads a submission's folder with the instructor's permissions before any of its preprocessors runs: it looks
for notebooks, reads ``timestamp.txt``, and copies every other file to the folder from which feedback is made. All these
steps follow links. This module reads only two plain files: the notebook, up to a size limit, and the time.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
from nbgrader.api import Gradebook, MissingEntry, SubmittedAssignment
from nbgrader.converters import Autograde, BaseConverter, GenerateFeedback, NbGraderException
from nbgrader.utils import rmtree

from autograder.gradebook.due_dates import lateness_costs
from autograder.gradebook.gradebook import Records
from autograder.gradebook.lateness import Lateness
from autograder.nbgrader_commands.times import read_times_as_we_do
from autograder.records.archive import Archive, class_archive
from autograder.records.deadlines import Deadlines
from autograder.records.feedback import deadlines_before, write_page
from autograder.records.late_policy import lateness_of
from autograder.records.results import result
from autograder.submissions.hand_in import doubts_about
from autograder.submissions.plain_files import read_submitted
from autograder.submissions.submission import Submission, submission_in
from autograder.submissions.submission_time import TIME
from course_lib.course import CourseError, find_course
from course_lib.running.notebook_file import LARGEST_FILE

_LONGEST_TIME = 1_000  #: bytes


class _PlainFiles(BaseConverter):  # type: ignore[misc]
    """The base of `Autograde`, except that it does not copy other files that a student hands in with the notebook."""

    def init_assignment(self, assignment_id: str, student_id: str) -> None:
        """Copy the time, which is compared with that of a later submission and is needed for releasing feedback."""
        time = read_submitted(Path(self._format_source(assignment_id, student_id), TIME), _LONGEST_TIME)
        if time is not None:
            destination = Path(self._format_dest(assignment_id, student_id))
            destination.mkdir(parents=True, exist_ok=True)
            (destination / TIME).unlink(missing_ok=True)
            (destination / TIME).write_bytes(time)

    def convert_single_notebook(self, notebook_filename: str) -> None:
        """Pass the bytes of a submission to `RebuildSubmission`. nbgrader itself may read only the result."""
        if not self._sanitizing:
            super().convert_single_notebook(notebook_filename)
            return
        resources = self.init_single_notebook_resources(notebook_filename)
        path = Path(notebook_filename)
        submitted = Submission(resources["nbgrader"]["student"], path).read(LARGEST_FILE + 1)
        if submitted is None:
            raise OSError(f"{path} is not a plain file")
        resources["metadata"] = {"name": path.stem, "path": str(path.parent)}
        resources["nbgrader"]["submitted"] = submitted
        output, resources = self.exporter.from_notebook_node(nbformat.v4.new_notebook(), resources=resources)
        del resources["nbgrader"]["submitted"]
        self.write_single_notebook(output, resources)


class _Before(NamedTuple):
    """The content of a submission's output folder before it is graded."""

    student: str
    folder: Path
    files: dict[Path, bytes]


def _content_of(student: str, folder: Path) -> _Before:
    return _Before(student, folder, {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()})


class PlainAutograde(Autograde, _PlainFiles):  # type: ignore[misc]
    """Autogrades plain files only. A submission of anything else is not graded, but the others are."""

    refused = False  #: whether there was such a submission
    _before: _Before | None = None
    _time: datetime | None = None  # the time of the submission that is being graded
    _doubts: Sequence[str] = ()
    _lateness = Lateness()

    def init_destination(self, assignment_id: str, student_id: str) -> bool:
        """Remember the folder's content. nbgrader removes it if grading fails, but the earlier grade may stay."""
        folder = Path(self._format_dest(assignment_id, student_id))
        last, self._before = self._before, _content_of(student_id, folder)
        self._put_back(last)
        begins = bool(super().init_destination(assignment_id, student_id))
        if not begins and self._is_not_final(student_id):
            self.force = True
            try:
                begins = bool(super().init_destination(assignment_id, student_id))
            finally:
                self.force = False
        if not begins:
            self._before = None
        return begins

    def _put_back(self, before: _Before | None) -> None:
        """Restore the folder's content after a failure, unless the failure removed the grade."""
        if before and before.files and not self._is_gone(before.student):
            if before.folder.exists():
                rmtree(before.folder)
            for path, content in before.files.items():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)

    def _is_not_final(self, student: str) -> bool:
        """Return whether the last grading of a student did not finish, as after a ``--force`` that failed."""
        with suppress(CourseError):  # reading the record again later reports the error
            record = class_archive(find_course()).record(self.coursedir.assignment_id, student)
            return record is not None and not record["digest"]
        return False

    def _is_gone(self, student: str) -> bool:
        """Return whether the student's earlier grade is gone, according to the record of the failure."""
        with suppress(CourseError):  # the next reader of the record reports the error
            record = class_archive(find_course()).record(self.coursedir.assignment_id, student)
            return record is not None and record["status"] == "failed"
        return False

    def init_notebooks(self) -> None:
        """Find the submissions. For each one that is not graded, log why."""
        lesson = self.coursedir.assignment_id
        try:
            if graded := begin(lesson, self.coursedir.db_url):
                self.log.warning(
                    f"{lesson} has been rebuilt since submissions were graded ({graded} of them). Those that aren't "
                    f"graded now keep their share of the points: nbgrader autograde {lesson} --force grades all."
                )
            self._lateness = lateness_of(course := find_course(), class_archive(course))
        except CourseError as error:
            self.log.error("%s", error)
            raise NbGraderException(str(error)) from None
        self.assignments: dict[str, list[str]] = {}
        self.notebooks: list[str] = []
        self.refused = False
        for folder in self._folders():
            lesson, name = folder.name, folder.parent.name
            if not fnmatch(lesson, self.coursedir.notebook_id):
                continue
            submission = submission_in(name, folder / f"{lesson}.ipynb")
            if not os.path.lexists(submission.path):
                self.log.warning("%s has handed in no %s: %s", submission.student, lesson, submission.why_missing())
            elif problem := submission.problem or _problem(submission):
                self.log.error("%s is not graded: %s", submission.student, problem)
                self.refused = True
            else:
                self.assignments[str(folder)] = [str(submission.path)]
        if not self.assignments and not self.refused:
            super().init_notebooks()  # logs what there is instead

    def init_assignment(self, assignment_id: str, student_id: str) -> None:
        """Enter the student's extension into the gradebook, too.

        nbgrader would enter the submission time here. Leave that to `SaveSubmission`, because if this file cannot be
        graded, the earlier grade stays and must keep the time of its own file.
        """
        with self._submission(assignment_id, student_id) as submission:
            earlier = submission.timestamp if submission else None
        try:
            super().init_assignment(assignment_id, student_id)
        finally:
            with self._submission(assignment_id, student_id) as submission:
                if submission:
                    submission.timestamp = earlier
                    self._lateness.extend(submission)
            path = Path(self._format_source(assignment_id, student_id), f"{assignment_id}.ipynb")
            handed_in = Submission(student_id, path)
            self._time, self._doubts = handed_in.time, doubts_about(handed_in, lambda: self._lateness_costs)
            for doubt in self._doubts:
                self.log.warning("%s: %s", student_id, doubt)

    @contextmanager
    def _submission(self, lesson: str, student: str) -> Iterator[SubmittedAssignment | None]:
        """Return the gradebook's entry of a submission, if there is one, and commit changes to it at the end."""
        with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as book:
            try:
                submission = book.find_submission(lesson, student)
            except MissingEntry:
                submission = None
            yield submission
            book.db.commit()

    def init_single_notebook_resources(self, notebook_filename: str) -> dict[str, Any]:
        """Pass on the submission time, and the notebook that was graded before."""
        resources: dict[str, Any] = super().init_single_notebook_resources(notebook_filename)
        resources["nbgrader"]["time"], resources["nbgrader"]["doubts"] = self._time, list(self._doubts)
        if self._before:
            resources["nbgrader"]["graded_before"] = next(
                (content for path, content in self._before.files.items() if path.suffix == ".ipynb"), None
            )
        return resources

    def convert_single_notebook(self, notebook_filename: str) -> None:
        """Grade a submission. If that succeeds, forget the earlier files."""
        from autograder.nbgrader_commands.steps import is_kept

        try:
            super().convert_single_notebook(notebook_filename)
        except BaseException:
            if self._before and is_kept(self._before.student):
                self._before = _content_of(self._before.student, self._before.folder)
            raise
        self._before = None

    @cached_property
    def _lateness_costs(self) -> bool:
        with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as book:
            return lateness_costs(book.db, self.coursedir.assignment_id, self._lateness)

    def _folders(self) -> Iterator[Path]:
        """Return the folder with exactly this name, or else all folders that match the pattern."""
        pattern = self._format_source(self.coursedir.assignment_id, self.coursedir.student_id)
        found = [pattern] if os.path.lexists(pattern) else sorted(glob.glob(pattern))
        return map(Path, found)

    def convert_notebooks(self) -> None:
        """Grade all submissions that can be graded, and fail if there were others."""
        try:
            super().convert_notebooks()
        finally:
            self._put_back(self._before)
        if self.refused:
            raise NbGraderException("Some submissions were not graded, see above.")


def _problem(submission: Submission) -> str:
    """Return why a submission's folder must not be read, or an empty string if it is fine."""
    if submission.read(0) is None:
        return f"there is no plain file {submission.path.name}"
    time = submission.path.with_name(TIME)
    content = read_submitted(time, _LONGEST_TIME + 1)
    if os.path.lexists(time) and (not content or len(content) > _LONGEST_TIME):
        return f"{TIME} is not a plain file with a time in it"
    return ""


class CourseFeedback(GenerateFeedback):  # type: ignore[misc]
    """Writes the pages of `course feedback` for the submissions whose graded notebooks nbgrader has."""

    _earlier: Deadlines | None = None  # the deadlines of earlier lessons

    def convert_single_notebook(self, notebook_filename: str) -> None:
        """Write the page of one submission."""
        about = self.init_single_notebook_resources(notebook_filename)["nbgrader"]
        lesson, student = about["assignment"], about["student"]
        with Records(self.coursedir.db_url, lesson, lateness=self._lateness) as records:
            if self._earlier is None:  # a run covers only one lesson
                records.update_penalties()
                self._earlier = deadlines_before(self._archive, records, lesson)
            write_page(self._archive, records, result(self._archive, records, lesson, student), self._earlier)

    @cached_property
    def _archive(self) -> Archive:
        return class_archive(find_course())

    @cached_property
    def _lateness(self) -> Lateness:
        return lateness_of(find_course(), self._archive)


def put_in_place() -> None:
    """Replace parts of nbgrader and formgrader with `PlainAutograde`, `CourseFeedback` and our reader of times.

    nbgrader has no setting for any of these.
    """
    read_times_as_we_do()
    from nbgrader.apps import api, autogradeapp, generatefeedbackapp

    autogradeapp.Autograde = api.Autograde = PlainAutograde
    generatefeedbackapp.GenerateFeedback = api.GenerateFeedback = CourseFeedback


def begin(lesson: str, gradebook: str) -> int:
    """Make a run use the current build, and enter the current points into the gradebook.

    formgrader's process may still hold the state of an earlier run and its build, so forget that.

    Args:
        gradebook: the gradebook's URL.

    Returns:
        The number of students with points of an earlier build.

    Raises:
        CourseError: the lesson's build is stale, its cells have changed since submissions were graded, the gradebook
            cannot be used, the roster cannot be read, or the late policy fails.
    """
    from autograder.building.build import require_fresh
    from autograder.nbgrader_commands import steps

    course = find_course()
    name = course.lesson(lesson)
    require_fresh(course, [name], "grades")
    steps.forget()
    lateness = lateness_of(course, class_archive(course))
    with Records(gradebook, name, course.written, lateness) as records:
        if not records.register(nbformat.read(course.student_notebook(name), as_version=nbformat.NO_CONVERT)):
            return 0
        graded = records.with_points()
        records.settle(dict.fromkeys(graded))  # late penalties depend on the current points
        return len(graded)


def submitted_bytes(resources: dict[str, Any]) -> bytes:
    """Return the bytes of the submission that is being graded.

    Raises:
        RuntimeError: nbgrader has read the submission itself and may have followed links.
    """
    try:
        submitted: bytes = resources["nbgrader"]["submitted"]
    except KeyError:
        raise RuntimeError("nbgrader has read this submission by itself: is nbgrader_config.py the course's?") from None
    return submitted
