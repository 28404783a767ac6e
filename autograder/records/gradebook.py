"""nbgrader's gradebook, written through nbgrader's own preprocessors and API."""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from nbgrader.api import (
    Assignment,
    Grade,
    Gradebook,
    GradeCell,
    InvalidEntry,
    MissingEntry,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
)
from nbgrader.api import app_log as nbgrader_log
from nbgrader.preprocessors import GetGrades, SaveAutoGrades, SaveCells
from nbgrader.utils import is_grade
from sqlalchemy import make_url
from sqlalchemy.exc import SAWarning, SQLAlchemyError

from autograder.records.completion import complete
from autograder.records.record import Standing
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
    """One lesson in a gradebook, open for writing by this process alone.

    Whatever stands in the way of reading or writing it (a lock that lasts, a full disk, a server that is gone) is a
    `CourseError` of one sentence. What was saved before stays saved.
    """

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
        except (SQLAlchemyError, InvalidEntry, OSError) as error:
            raise CourseError(f"{cannot}: {_reason(error)}.") from None
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
        try:
            with self._access():
                self._book.update_or_create_assignment(self._lesson)
                SaveCells().preprocess(released, self._resources("."))
        except RuntimeError as error:
            raise CourseError(
                f"The gradebook {without_password(self._url)} holds grades of another version of {self._lesson}: "
                f"{error}. Use another gradebook, or grade with the notebooks that were released."
            ) from None
        self._book.db.expire_all()

    def save(self, student: str, notebook: Notebook, timestamp: Any = None) -> None:
        """Write a graded notebook's points and comments. A grader's own scores and comments stay."""
        with self._access():
            self._submission(student, timestamp)
            saver = self._prepared(SaveAutoGrades(), student)
            for index, cell in enumerate(notebook.cells):
                saver.preprocess_cell(cell, {}, index)
                if self._written != "hand" and is_grade(cell) and cell.cell_type == "markdown":
                    complete(self._book, self._lesson, student, cell)

    def save_ungraded(self, student: str) -> None:
        """Write that a student's submission has no points and waits for a person. Scores given by a person stay."""
        with self._access():
            for notebook in self._submission(student).notebooks:
                for grade in notebook.grades:
                    grade.auto_score, grade.needs_manual_grade = None, True
            self._book.db.commit()

    def _submission(self, student: str, timestamp: Any = None) -> Any:
        self._book.update_or_create_student(student)
        about = {"timestamp": timestamp} if timestamp else {}
        return self._book.update_or_create_submission(self._lesson, student, **about)

    def with_grades(self, student: str, notebook: Notebook) -> tuple[Notebook, dict[str, Any]]:
        """The notebook with points and comments from the gradebook, and what a feedback page shows of them.

        Raises:
            CourseError: the gradebook has no submission of this student.
        """
        try:
            with self._access():
                return GetGrades().preprocess(notebook, self._resources(student))  # type: ignore[no-any-return]
        except MissingEntry:
            raise CourseError(f"The gradebook has no submission of {student!r} for {self._lesson}.") from None

    def students(self) -> set[str]:
        """Who has a submission of the lesson."""
        with self._access():
            return {submission.student_id for submission in self._book.assignment_submissions(self._lesson)}

    def absent(self) -> list[str]:
        """Who is in the gradebook and has no submission of the lesson."""
        with self._access():
            return sorted({student.id for student in self._book.students} - self.students())

    def standings(self) -> dict[str, Standing]:
        """What the gradebook has of every submission of the lesson, by student."""
        with self._access():
            rows = (
                self._book.db.query(Student.id, GradeCell, Grade, SubmittedNotebook.late_submission_penalty)
                .select_from(Grade)
                .join(GradeCell, Grade.cell_id == GradeCell.id)
                .join(SubmittedNotebook, Grade.notebook_id == SubmittedNotebook.id)
                .join(SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
                .join(Assignment, SubmittedAssignment.assignment_id == Assignment.id)
                .join(Student, SubmittedAssignment.student_id == Student.id)
                .filter(Assignment.name == self._lesson)
            )
            by_student: dict[str, list[Any]] = {}
            for student, *row in rows:
                by_student.setdefault(student, []).append(row)
        return {student: _standing(rows) for student, rows in by_student.items()}

    @contextmanager
    def _access(self) -> Iterator[None]:
        """Use the gradebook.

        Raises:
            CourseError: it cannot be read or written.
        """
        with warnings.catch_warnings(), _without_tracebacks():
            # nbgrader's own objects, saved in an order that SQLAlchemy remarks on; the scores are right
            warnings.simplefilter("ignore", SAWarning)
            try:
                yield
            except (SQLAlchemyError, InvalidEntry, OSError) as error:
                with suppress(SQLAlchemyError):
                    self._book.db.rollback()
                raise CourseError(
                    f"The gradebook {without_password(self._url)} cannot be used: {_reason(error)}."
                ) from None

    def _prepared(self, preprocessor: Any, student: str) -> Any:
        """An nbgrader preprocessor that uses this open gradebook instead of opening its own."""
        preprocessor.gradebook = self._book
        preprocessor.notebook_id = preprocessor.assignment_id = self._lesson
        preprocessor.student_id = student
        return preprocessor

    def _resources(self, student: str) -> dict[str, Any]:
        about = {"notebook": self._lesson, "assignment": self._lesson, "student": student, "db_url": self._url}
        return {"nbgrader": about, "unique_key": self._lesson}


def _standing(rows: list[Any]) -> Standing:
    """One submission, from ``(cell, grade, penalty)`` of each cell that is graded."""
    penalty = max((late or 0.0 for _, _, late in rows), default=0.0)
    to_grade = [(cell, grade) for cell, grade, _ in rows if grade.needs_manual_grade]
    return Standing(
        score=max(0.0, round(sum(grade.score for _, grade, _ in rows) - penalty, 6)),
        max_score=round(sum(cell.max_score for cell, _, _ in rows), 6),
        exercises={
            cell.name.removeprefix("check-"): grade.score for cell, grade, _ in rows if cell.cell_type == "code"
        },
        waiting=[cell.name for cell, grade in to_grade if cell.cell_type == "markdown" and grade.manual_score is None],
        to_review=sum(grade.manual_score is not None for _, grade in to_grade),
        by_person=any(grade.manual_score is not None for _, grade, _ in rows),
    )


def _reason(error: Exception) -> str:
    """What went wrong, without the SQL and the names of classes around it."""
    said = str(error.strerror if isinstance(error, OSError) and error.strerror else error) or type(error).__name__
    return _AROUND.sub("", said.splitlines()[0]).rstrip(".")


_AROUND = re.compile(r"^\(\S+\) ")  #: as in "(sqlite3.OperationalError) database is locked"


@contextmanager
def _without_tracebacks() -> Iterator[None]:
    """nbgrader logs every error of a database with its traceback before it raises it."""
    before, log = nbgrader_log.level, nbgrader_log
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(before)
