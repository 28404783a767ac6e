"""nbgrader's gradebook, written through nbgrader's own preprocessors and API."""

from __future__ import annotations

import warnings
from pathlib import Path
from types import TracebackType
from typing import Any

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.preprocessors import GetGrades, SaveAutoGrades, SaveCells
from nbgrader.utils import is_grade
from sqlalchemy import make_url
from sqlalchemy.exc import SAWarning, SQLAlchemyError

from autograder.records.completion import complete
from autograder.records.tables import make_tables
from course_lib.course import CourseError, Written

Notebook = Any


def without_password(url: str) -> str:
    """A gradebook's URL as it may be shown."""
    try:
        return make_url(url).render_as_string(hide_password=True)
    except SQLAlchemyError:
        return url


class Records:
    """One lesson in a gradebook, open for writing by this process alone."""

    def __init__(self, url: str, lesson: str, written: Written = "off") -> None:
        self._url, self._lesson, self._written = url, lesson, written

    def __enter__(self) -> Records:
        """Open the gradebook, and make it where there is none.

        Raises:
            CourseError: it cannot be opened.
        """
        cannot = f"The gradebook {without_password(self._url)} cannot be opened"
        if self._url in ("sqlite://", "sqlite:///", "sqlite:///:memory:"):
            raise CourseError(f"{cannot}: it names no file. Name one, as sqlite:///class/gradebook.db.")
        try:
            if self._url.startswith("sqlite:///"):
                Path(self._url.removeprefix("sqlite:///")).parent.mkdir(parents=True, exist_ok=True)
            make_tables(self._url)
            self._book = Gradebook(self._url)
        except ImportError as error:
            raise CourseError(
                f"{cannot}: {error.name or error} is not installed. For PostgreSQL: pip install -e '.[postgres]'"
            ) from None
        except (SQLAlchemyError, OSError) as error:
            raise CourseError(f"{cannot}: {str(error).splitlines()[0]}.") from None  # the next lines are SQL
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the gradebook."""
        self._book.close()

    def register(self, released: Notebook) -> None:
        """Tell the gradebook which cells the lesson has, as ``nbgrader generate_assignment`` does.

        Raises:
            CourseError: the lesson's cells have changed since submissions were graded.
        """
        self._book.update_or_create_assignment(self._lesson)
        try:
            SaveCells().preprocess(released, self._resources("."))
        except RuntimeError as error:
            raise CourseError(
                f"The gradebook {without_password(self._url)} holds grades of another version of {self._lesson}: "
                f"{error}. Use another gradebook, or grade with the notebooks that were released."
            ) from None
        self._book.db.expire_all()

    def save(self, student: str, notebook: Notebook, timestamp: Any = None) -> None:
        """Write a graded notebook's points and comments. A grader's own scores and comments stay."""
        with warnings.catch_warnings():
            # nbgrader's own objects, saved in an order that SQLAlchemy remarks on; the scores are right
            warnings.simplefilter("ignore", SAWarning)
            self._save(student, notebook, timestamp)

    def _save(self, student: str, notebook: Notebook, timestamp: Any) -> None:
        self._book.update_or_create_student(student)
        about = {"timestamp": timestamp} if timestamp else {}
        self._book.update_or_create_submission(self._lesson, student, **about)
        saver = self._prepared(SaveAutoGrades(), student)
        for index, cell in enumerate(notebook.cells):
            saver.preprocess_cell(cell, {}, index)
            if self._written != "hand" and is_grade(cell) and cell.cell_type == "markdown":
                complete(self._book, self._lesson, student, cell)

    def with_grades(self, student: str, notebook: Notebook) -> tuple[Notebook, dict[str, Any]]:
        """The notebook with points and comments from the gradebook, and what a feedback page shows of them.

        Raises:
            CourseError: the gradebook has no submission of this student.
        """
        try:
            return GetGrades().preprocess(notebook, self._resources(student))  # type: ignore[no-any-return]
        except MissingEntry:
            raise CourseError(f"The gradebook has no submission of {student!r} for {self._lesson}.") from None

    def students(self) -> set[str]:
        """Who has a submission of the lesson."""
        return {submission.student_id for submission in self._book.assignment_submissions(self._lesson)}

    def _prepared(self, preprocessor: Any, student: str) -> Any:
        """An nbgrader preprocessor that uses this open gradebook instead of opening its own."""
        preprocessor.gradebook = self._book
        preprocessor.notebook_id = preprocessor.assignment_id = self._lesson
        preprocessor.student_id = student
        return preprocessor

    def _resources(self, student: str) -> dict[str, Any]:
        about = {"notebook": self._lesson, "assignment": self._lesson, "student": student, "db_url": self._url}
        return {"nbgrader": about, "unique_key": self._lesson}
