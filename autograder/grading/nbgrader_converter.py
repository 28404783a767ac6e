"""`nbgrader autograde`, as strict about a submission's folder as `course grade`, and the pages of `course feedback`.

nbgrader reads a submission's folder with the instructor's rights, and before any of its preprocessors runs: it looks
for notebooks, reads ``timestamp.txt``, and copies every other file to where feedback is made from. It follows links all
the while. Here only plain files are read: the notebook, up to a size, and the time.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path
from typing import Any

import nbformat
from nbgrader.api import Gradebook
from nbgrader.converters import Autograde, BaseConverter, GenerateFeedback, NbGraderException

from autograder.collecting.roster import enrolled
from autograder.grading.submissions import LARGEST, TIME, Submission, read_plain, submission_in
from autograder.records.archive import Archive, class_archive
from autograder.records.feedback import write_page
from autograder.records.gradebook import Records
from autograder.records.lateness import Lateness
from autograder.records.results import result
from course_lib.course import CourseError, find_course

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
        submitted = Submission(resources["nbgrader"]["student"], path).read(LARGEST + 1)
        if submitted is None:
            raise OSError(f"{path} is no plain file")
        resources["metadata"] = {"name": path.stem, "path": str(path.parent)}
        resources["nbgrader"]["submitted"] = submitted
        output, resources = self.exporter.from_notebook_node(nbformat.v4.new_notebook(), resources=resources)
        del resources["nbgrader"]["submitted"]
        self.write_single_notebook(output, resources)


class PlainAutograde(Autograde, _PlainFiles):  # type: ignore[misc]
    """Autogrades plain files only. Whoever hands in something else is not graded, and the others are."""

    refused = False  #: whether there was such a submission
    _before: tuple[Path, dict[str, bytes]] | None = None  # what stood where a submission is being graded

    def init_destination(self, assignment_id: str, student_id: str) -> bool:
        """Keep what stands there: where grading fails, nbgrader leaves nothing, and the earlier grade stays."""
        self._restore()
        folder = Path(self._format_dest(assignment_id, student_id))
        files = [path for path in folder.rglob("*") if path.is_file()] if folder.is_dir() else []
        self._before = folder, {str(path.relative_to(folder)): path.read_bytes() for path in files}
        return bool(super().init_destination(assignment_id, student_id))

    def _restore(self) -> None:
        folder, files = self._before or (Path(), {})
        if files and not folder.exists():
            for name, content in files.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(content)
        self._before = None

    def init_notebooks(self) -> None:
        """Find the submissions; say of each that is not graded why."""
        try:
            begin(self.coursedir.assignment_id)
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
                self.log.warning("%s has handed in no %s", submission.student, submission.path.name)
            elif problem := submission.problem or _problem(submission):
                self.log.error("%s is not graded: %s", submission.student, problem)
                self.refused = True
            else:
                self.assignments[str(folder)] = [str(submission.path)]
        if not self.assignments and not self.refused:
            super().init_notebooks()  # which says what there is instead

    def init_assignment(self, assignment_id: str, student_id: str) -> None:
        """Enter in the gradebook, too, how much longer than the class the student has by the roster."""
        super().init_assignment(assignment_id, student_id)
        with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as book:
            self._lateness.extend(book.find_submission(assignment_id, student_id))
            book.db.commit()

    @cached_property
    def _lateness(self) -> Lateness:
        return Lateness(members=enrolled(class_archive(find_course()).roster, None))

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
            self._restore()
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

    def convert_single_notebook(self, notebook_filename: str) -> None:
        """Write the page of one submission."""
        about = self.init_single_notebook_resources(notebook_filename)["nbgrader"]
        lesson, student = about["assignment"], about["student"]
        with Records(self.coursedir.db_url, lesson) as records:
            write_page(self._archive, records, result(self._archive, records, lesson, student))

    @cached_property
    def _archive(self) -> Archive:
        return class_archive(find_course())


def put_in_place() -> None:
    """Let nbgrader's commands and formgrader grade with `PlainAutograde`, and write `CourseFeedback`.

    nbgrader has no setting for either.
    """
    from nbgrader.apps import api, autogradeapp, generatefeedbackapp

    autogradeapp.Autograde = api.Autograde = PlainAutograde
    generatefeedbackapp.GenerateFeedback = api.GenerateFeedback = CourseFeedback


def begin(lesson: str) -> None:
    """See to it that a run grades by what is built now; in formgrader's process, an earlier one may be remembered.

    Raises:
        CourseError: the lesson's build is stale.
    """
    from autograder.building.build import require_fresh
    from autograder.grading import nbgrader_steps

    course = find_course()
    require_fresh(course, [course.lesson(lesson)], "grades")
    nbgrader_steps.forget()


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
