"""`nbgrader autograde`, as strict about a submission's folder as `course grade`, and the pages of `course feedback`.

nbgrader reads a submission's folder with the instructor's rights, and before any of its preprocessors runs: it looks
for notebooks, reads ``timestamp.txt``, and copies every other file to where feedback is made from. It follows links all
the while. Here only plain files are read: the notebook, up to a size, and the time.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
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

from autograder.grading.nbgrader_times import read_times_as_we_do
from autograder.grading.submission_time import TIME
from autograder.grading.submissions import Submission, read_plain, submission_in
from autograder.records.archive import Archive, class_archive
from autograder.records.deadlines import Deadlines
from autograder.records.feedback import deadlines_before, write_page
from autograder.records.gradebook import Records
from autograder.records.hand_in_time import about_time
from autograder.records.lateness import Lateness, lateness_of
from autograder.records.results import result
from course_lib.course import CourseError, find_course
from course_lib.running.notebook_file import LARGEST_FILE

_LONGEST_TIME = 1_000  #: bytes


class _PlainFiles(BaseConverter):  # type: ignore[misc]
    """What `Autograde` stands on, without a copy of the files that a student hands in beside the notebook."""

    def init_assignment(self, assignment_id: str, student_id: str) -> None:
        """Copy the time, which a later submission is compared with and releasing feedback needs."""
        time = read_plain(Path(self._format_source(assignment_id, student_id), TIME), _LONGEST_TIME)
        if time is not None:
            destination = Path(self._format_dest(assignment_id, student_id))
            destination.mkdir(parents=True, exist_ok=True)
            (destination / TIME).unlink(missing_ok=True)
            (destination / TIME).write_bytes(time)

    def convert_single_notebook(self, notebook_filename: str) -> None:
        """Hand the bytes of a submission to `RebuildSubmission`; what that has made, nbgrader may read itself."""
        if not self._sanitizing:
            super().convert_single_notebook(notebook_filename)
            return
        resources = self.init_single_notebook_resources(notebook_filename)
        path = Path(notebook_filename)
        submitted = Submission(resources["nbgrader"]["student"], path).read(LARGEST_FILE + 1)
        if submitted is None:
            raise OSError(f"{path} is no plain file")
        resources["metadata"] = {"name": path.stem, "path": str(path.parent)}
        resources["nbgrader"]["submitted"] = submitted
        output, resources = self.exporter.from_notebook_node(nbformat.v4.new_notebook(), resources=resources)
        del resources["nbgrader"]["submitted"]
        self.write_single_notebook(output, resources)


class _Before(NamedTuple):
    """What stood where a submission is being graded: its folder, and each file's content."""

    student: str
    folder: Path
    files: dict[Path, bytes]


def _lying_in(student: str, folder: Path) -> _Before:
    return _Before(student, folder, {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()})


class PlainAutograde(Autograde, _PlainFiles):  # type: ignore[misc]
    """Autogrades plain files only. Whoever hands in something else is not graded, and the others are."""

    refused = False  #: whether there was such a submission
    _before: _Before | None = None
    _time: datetime | None = None  # when the submission that is being graded came in
    _time_note = ""
    _lateness = Lateness()

    def init_destination(self, assignment_id: str, student_id: str) -> bool:
        """Keep what stands there: where grading fails, nbgrader takes it away, and the earlier grade may stay."""
        folder = Path(self._format_dest(assignment_id, student_id))
        last, self._before = self._before, _lying_in(student_id, folder)
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
        """After a failure, and unless it cost the grade: what stood there stands there again, and nothing else."""
        if before and before.files and not self._is_gone(before.student):
            if before.folder.exists():
                rmtree(before.folder)
            for path, content in before.files.items():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)

    def _is_not_final(self, student: str) -> bool:
        """Whether the last grading of a student did not come to an end, as after ``--force`` that failed."""
        with suppress(CourseError):  # reading it again later says what is wrong
            record = class_archive(find_course()).record(self.coursedir.assignment_id, student)
            return record is not None and not record["digest"]
        return False

    def _is_gone(self, student: str) -> bool:
        """Whether the student's earlier grade is gone, as the record of the failure says."""
        with suppress(CourseError):  # whoever reads the record next says that it cannot be read
            record = class_archive(find_course()).record(self.coursedir.assignment_id, student)
            return record is not None and record["status"] == "failed"
        return False

    def init_notebooks(self) -> None:
        """Find the submissions; say of each that is not graded why."""
        lesson = self.coursedir.assignment_id
        try:
            if graded := begin(lesson, self.coursedir.db_url):
                self.log.warning(
                    f"{lesson} has been built anew since submissions were graded ({graded} of them). Those that aren't "
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
            super().init_notebooks()  # which says what there is instead

    def init_assignment(self, assignment_id: str, student_id: str) -> None:
        """Enter in the gradebook, too, how much longer than the class the student has by the roster.

        nbgrader enters here when the file came in. That waits for `EnterTime`: should the file not be graded, an
        earlier grade would stay with the time of a file that it is not for.
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
            self._time, self._time_note = handed_in.time, about_time(handed_in)
            if self._time_note:
                self.log.warning("%s: %s", student_id, self._time_note)

    @contextmanager
    def _submission(self, lesson: str, student: str) -> Iterator[SubmittedAssignment | None]:
        """What the gradebook has of a submission, if anything; what is changed of it is written."""
        with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as book:
            try:
                submission = book.find_submission(lesson, student)
            except MissingEntry:
                submission = None
            yield submission
            book.db.commit()

    def init_single_notebook_resources(self, notebook_filename: str) -> dict[str, Any]:
        """Pass on when the submission came in, and which notebook was graded before it."""
        resources: dict[str, Any] = super().init_single_notebook_resources(notebook_filename)
        resources["nbgrader"]["time"], resources["nbgrader"]["time_note"] = self._time, self._time_note
        if self._before:
            resources["nbgrader"]["graded_before"] = next(
                (content for path, content in self._before.files.items() if path.suffix == ".ipynb"), None
            )
        return resources

    def convert_single_notebook(self, notebook_filename: str) -> None:
        """Grade a submission; once that is done, the earlier files are not put back."""
        from autograder.grading.nbgrader_steps import is_kept

        try:
            super().convert_single_notebook(notebook_filename)
        except BaseException:
            if self._before and is_kept(self._before.student):
                self._before = _lying_in(self._before.student, self._before.folder)
            raise
        self._before = None

    def _folders(self) -> Iterator[Path]:
        """The folders meant: one that is called just so, else all that the patterns match."""
        pattern = self._format_source(self.coursedir.assignment_id, self.coursedir.student_id)
        found = [pattern] if os.path.lexists(pattern) else sorted(glob.glob(pattern))
        return map(Path, found)

    def convert_notebooks(self) -> None:
        """Grade all that can be, and fail where there were others."""
        try:
            super().convert_notebooks()
        finally:
            self._put_back(self._before)
        if self.refused:
            raise NbGraderException("Some submissions were not graded, see above.")


def _problem(submission: Submission) -> str:
    """Why a submission's folder is not read; nothing where it is as it should be."""
    if submission.read(0) is None:
        return f"there is no plain file {submission.path.name}"
    time = submission.path.with_name(TIME)
    if os.path.lexists(time) and len(read_plain(time, _LONGEST_TIME + 1) or bytes(_LONGEST_TIME + 1)) > _LONGEST_TIME:
        return f"{TIME} is no plain file with a time in it"
    return ""


class CourseFeedback(GenerateFeedback):  # type: ignore[misc]
    """The pages of `course feedback`, for the submissions that nbgrader has graded notebooks of."""

    _earlier: Deadlines | None = None  # the deadlines of earlier lessons

    def convert_single_notebook(self, notebook_filename: str) -> None:
        """Write the page of one submission."""
        about = self.init_single_notebook_resources(notebook_filename)["nbgrader"]
        lesson, student = about["assignment"], about["student"]
        with Records(self.coursedir.db_url, lesson) as records:
            if self._earlier is None:  # a run has one lesson
                self._earlier = deadlines_before(self._archive, records, lesson)
            write_page(self._archive, records, result(self._archive, records, lesson, student), self._earlier)

    @cached_property
    def _archive(self) -> Archive:
        return class_archive(find_course())


def put_in_place() -> None:
    """Let nbgrader and formgrader grade with `PlainAutograde`, write `CourseFeedback` and read times as we do.

    nbgrader has no setting for any of them.
    """
    read_times_as_we_do()
    from nbgrader.apps import api, autogradeapp, generatefeedbackapp

    autogradeapp.Autograde = api.Autograde = PlainAutograde
    generatefeedbackapp.GenerateFeedback = api.GenerateFeedback = CourseFeedback


def begin(lesson: str, gradebook: str) -> int:
    """See to it that a run grades by what is built now, and that the gradebook has the points of that.

    In formgrader's process, an earlier run may be remembered, with what was built then.

    Args:
        gradebook: its URL.

    Returns:
        How many students have points of an earlier build.

    Raises:
        CourseError: the lesson's build is stale, its cells have changed since submissions were graded, or the gradebook
            cannot be used; the roster cannot be read; the late policy fails.
    """
    from autograder.building.build import require_fresh
    from autograder.grading import nbgrader_steps

    course = find_course()
    name = course.lesson(lesson)
    require_fresh(course, [name], "grades")
    nbgrader_steps.forget()
    lateness = lateness_of(course, class_archive(course))
    with Records(gradebook, name, course.written, lateness) as records:
        if not records.register(nbformat.read(course.student_notebook(name), as_version=nbformat.NO_CONVERT)):
            return 0
        graded = records.with_points()
        records.settle(dict.fromkeys(graded))  # what being late costs goes by the points of now
        return len(graded)


def submitted_bytes(resources: dict[str, Any]) -> bytes:
    """The submission that is being graded, as it was handed in.

    Raises:
        RuntimeError: nbgrader has read it itself, and may have followed links.
    """
    try:
        submitted: bytes = resources["nbgrader"]["submitted"]
    except KeyError:
        raise RuntimeError("nbgrader has read this submission by itself: is nbgrader_config.py the course's?") from None
    return submitted
