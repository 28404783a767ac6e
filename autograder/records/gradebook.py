"""nbgrader's gradebook, written through nbgrader's own preprocessors and API."""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from itertools import groupby
from operator import itemgetter
from types import TracebackType
from typing import Any, NamedTuple

from nbgrader.api import (
    Assignment,
    Grade,
    Gradebook,
    GradeCell,
    InvalidEntry,
    MissingEntry,
    SourceCell,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
)
from nbgrader.api import (
    Notebook as NotebookEntry,
)
from nbgrader.api import app_log as nbgrader_log
from nbgrader.preprocessors import GetGrades, SaveAutoGrades, SaveCells
from nbgrader.utils import is_grade, is_locked, is_solution
from sqlalchemy import text
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SAWarning, SQLAlchemyError

from autograder.collecting.roster import COLUMNS, Member, member_of
from autograder.records.completion import complete
from autograder.records.gradebook_url import alone, file_of, with_driver, without_password
from autograder.records.lateness import Lateness
from autograder.records.lesson_grades import LessonGrades, lesson_grades
from autograder.records.parts import Parts, parts_of
from autograder.records.record import Standing
from autograder.records.shares import give, rescale
from autograder.records.tables import make_tables
from course_lib.course import CourseError, Written

Notebook = Any


class Penalty(NamedTuple):
    """How many points a submission lost for being late, and loses by now."""

    before: float
    now: float


class Records:
    """A gradebook, open, and in it one lesson. Several processes may have it open, each for submissions of its own.

    Whatever stands in the way of reading or writing it (a lock that lasts, a full disk, a server that is gone) is a
    `CourseError` of one sentence. What was saved before stays saved.
    """

    def __init__(self, url: str, lesson: str = "", written: Written = "off", lateness: Lateness | None = None) -> None:
        self._url, self._lesson, self._written = with_driver(url), lesson, written
        self._lateness = lateness or Lateness()

    def __enter__(self) -> Records:
        """Open the gradebook, and make it where there is none.

        Raises:
            CourseError: it cannot be opened.
        """
        cannot = f"The gradebook {without_password(self._url)} cannot be opened"
        if self._url in ("sqlite://", "sqlite:///", "sqlite:///:memory:"):
            raise CourseError(f"{cannot}: it names no file. Name one, as sqlite:///class/gradebook.db.")
        try:
            if file := file_of(self._url):
                file.parent.mkdir(parents=True, exist_ok=True)
            with alone(self._url), _without_tracebacks():
                make_tables(self._url)
                self._book = Gradebook(self._url)
        except (ArgumentError, NoSuchModuleError):
            raise CourseError(
                f"{cannot}: that is no URL of a database. They look like sqlite:///class/gradebook.db or "
                "postgresql://grader@db.example.org/course."
            ) from None
        except ImportError as error:
            driver = error.name or str(error)
            how = "pip install -e '.[postgres]'" if driver.startswith("psycopg") else f"pip install {driver}"
            raise CourseError(f"{cannot}: its driver {driver} is not installed. Run: {how}") from None
        except (SQLAlchemyError, InvalidEntry, OSError) as error:
            reason = _reason(error)
            hint = " PostgreSQL takes it from ~/.pgpass or PGPASSWORD." if "password" in reason else ""
            raise CourseError(f"{cannot}: {reason}.{hint}") from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the gradebook."""
        self._book.close()

    def register(self, released: Notebook) -> bool:
        """Tell the gradebook which cells the lesson has, as ``nbgrader generate_assignment`` does.

        nbgrader takes out a lesson that has no submissions yet, and enters it anew. Where it stands as it is, it is
        left alone: another grader, who has just begun, would for a moment find no cells to give points for. Where a
        cell is worth other points than before, the grader's own points keep their share of them.

        Returns:
            Whether anything was entered.

        Raises:
            CourseError: the lesson's cells have changed since submissions were graded.
        """
        try:
            with self._access(), alone(self._url):
                if new := not self._has(released):
                    self._book.update_or_create_assignment(self._lesson)
                    rescale(self._book.db, self._lesson, released)
                    SaveCells().preprocess(released, self._resources("."))
        except RuntimeError as error:
            raise CourseError(
                f"The gradebook {without_password(self._url)} holds grades of another version of {self._lesson}: "
                f"{error}. Use another gradebook, or grade with the notebooks that were released."
            ) from None
        self._book.db.expire_all()
        return new

    def _has(self, released: Notebook) -> bool:
        """Whether the lesson stands in the gradebook with just these cells, points and sources."""

        def entered(*columns: Any) -> set[Any]:
            rows = self._book.db.query(*columns).join(NotebookEntry).join(Assignment)
            return {tuple(row) for row in rows.filter(Assignment.name == self._lesson)}

        cells = [(cell.metadata.get("nbgrader", {}), cell) for cell in released.cells]
        graded = {(n.grade_id, float(n.points), cell.cell_type) for n, cell in cells if is_grade(cell)}
        sources = {
            (n.grade_id, cell.source, n.get("checksum"))
            for n, cell in cells
            if is_grade(cell) or is_solution(cell) or is_locked(cell)
        }
        return graded == entered(GradeCell.name, GradeCell.max_score, GradeCell.cell_type) and sources == entered(
            SourceCell.name, SourceCell.source, SourceCell.checksum
        )

    def save(self, student: str, notebook: Notebook, time: datetime | None = None) -> None:
        """Write a graded notebook's points and comments. A grader's own scores and comments stay.

        Args:
            time: when it was handed in, if that is known.
        """
        with self._access():
            self._submission(student)
            with self._at_once():
                saver = self._prepared(SaveAutoGrades(), student)
                for index, cell in enumerate(notebook.cells):
                    saver.preprocess_cell(cell, {}, index)
                    if self._written != "hand" and is_grade(cell) and cell.cell_type == "markdown":
                        complete(self._book, self._lesson, student, cell)
        self.settle({student: time})

    def save_ungraded(self, student: str, time: datetime | None = None) -> None:
        """Write that a student's submission has no points and waits for a person. Scores given by a person stay."""
        with self._access():
            for notebook in self._submission(student).notebooks:
                for grade in notebook.grades:
                    grade.auto_score, grade.needs_manual_grade = None, True
            self._book.db.commit()
        self.settle({student: time})

    def give(self, points: Mapping[str, Mapping[str, float]]) -> None:
        """Give students the grader's own points of exercises, by student and exercise; a person's stay."""
        with self._access():
            give(self._book.db, self._lesson, points)

    def settle(
        self,
        times: Mapping[str, datetime | None],
        scores: Mapping[str, float] | None = None,
        write: bool = True,
    ) -> dict[str, Penalty]:
        """Write when submissions came in, where that is known, and what they lose for being late, by all that is known.

        Args:
            scores: points that submissions are about to have, in place of those that stand.
            write: whether it is written, or only told.

        Returns:
            By student, every penalty that is another than before.

        Raises:
            CourseError: the late policy fails.
        """
        # nothing is written until all is known: a policy's file that is read meanwhile opens the gradebook once more
        other: dict[str, Penalty] = {}
        with self._access(), self._book.db.no_autoflush:
            submissions = self._book.db.query(SubmittedAssignment).join(Assignment)
            theirs = Assignment.name == self._lesson, SubmittedAssignment.student_id.in_(times)
            for submission in submissions.filter(*theirs):
                submission.timestamp = times[submission.student_id] or submission.timestamp
                self._lateness.extend(submission)
                for notebook in submission.notebooks:
                    before = notebook.late_submission_penalty or 0.0
                    about_to_have = (scores or {}).get(submission.student_id)
                    notebook.late_submission_penalty = self._lateness.penalty(notebook, about_to_have)
                    now = notebook.late_submission_penalty or 0.0
                    if round(before - now, 6):
                        other[submission.student_id] = Penalty(round(before, 6), round(now, 6))
            if write:
                self._book.db.commit()
            else:
                self._book.db.rollback()
        return other

    def _submission(self, student: str) -> Any:
        self._book.update_or_create_student(student)
        return self._book.update_or_create_submission(self._lesson, student)

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

    def enrol(self, members: Iterable[Member]) -> None:
        """Write who is in the class, with names and addresses; who is there already is brought up to date."""
        with self._access():
            known = {student.id: student for student in self._book.db.query(Student)}
            for member in members:
                about = {name: getattr(member, name) or None for name in COLUMNS}
                if member.id not in known:
                    self._book.db.add(Student(**about))
                else:
                    for name, value in about.items():
                        setattr(known[member.id], name, value)
            self._book.db.commit()

    def everyone(self) -> dict[str, list[str]]:
        """Every student in the gradebook, of whatever lesson, with the lessons that each has something of."""
        with self._access():
            return {
                student.id: sorted(submission.assignment.name for submission in student.submissions)
                for student in self._book.students
            }

    def remove(self, students: Iterable[str]) -> None:
        """Forget students: names and addresses, submissions, points and comments, of all lessons.

        What a file of SQLite has freed is overwritten, so that nothing of it can be read there any more.
        """
        with self._access():
            for student in students:
                self._book.remove_student(student)
            if self._book.engine.dialect.name == "sqlite":
                with self._book.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                    connection.execute(text("VACUUM"))

    def students(self) -> set[str]:
        """Who has a submission of the lesson."""
        with self._access():
            rows = self._book.db.query(SubmittedAssignment.student_id).join(Assignment)
            return {student for (student,) in rows.filter(Assignment.name == self._lesson)}

    def with_points(self) -> set[str]:
        """Who has points in the lesson, whoever gave them."""
        with self._access():
            rows = (
                self._book.db.query(SubmittedAssignment.student_id)
                .join(Assignment, SubmittedAssignment.assignment_id == Assignment.id)
                .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
                .join(Grade, Grade.notebook_id == SubmittedNotebook.id)
                .filter(Assignment.name == self._lesson)
                .filter(Grade.auto_score.isnot(None) | Grade.manual_score.isnot(None))
            )
            return {student for (student,) in rows.distinct()}

    def members(self) -> list[Member]:
        """Who is in the class, as far as the gradebook knows."""
        with self._access():
            return members_in(self._book.db)

    def due(self) -> list[tuple[str, datetime, dict[str, timedelta]]]:
        """Every lesson that has a due date, with that, in UTC, and the extensions that students have there."""
        about = Assignment.name, SubmittedAssignment.student_id, SubmittedAssignment.extension
        with self._access():
            rows = self._book.db.query(*about).join(SubmittedAssignment)
            extended: dict[str, dict[str, timedelta]] = {}
            for name, student, extension in rows.filter(SubmittedAssignment.extension.is_not(None)):
                extended.setdefault(name, {})[student] = extension
            lessons = self._book.db.query(Assignment.name, Assignment.duedate).filter(Assignment.duedate.is_not(None))
            return [(name, due, extended.get(name, {})) for name, due in lessons]

    def lesson_grades(self) -> LessonGrades:
        """The points of every submission of every lesson."""
        with self._access():
            return lesson_grades(self._book.db)

    def parts(self) -> Parts:
        """The points of every graded cell of the lesson that is worth anything, by student and name."""
        with self._access():
            return parts_of(self._book.db, self._lesson)

    def standings(self, student: str = "") -> dict[str, Standing]:
        """What the gradebook has of every submission of the lesson, or of one student's, by student."""
        with self._access():
            rows = (
                self._book.db.query(
                    SubmittedAssignment.student_id,
                    GradeCell.name,
                    GradeCell.cell_type,
                    GradeCell.max_score,
                    Grade.score,
                    Grade.manual_score,
                    Grade.needs_manual_grade,
                    SubmittedNotebook.late_submission_penalty,
                )
                .select_from(Grade)
                .join(GradeCell, Grade.cell_id == GradeCell.id)
                .join(SubmittedNotebook, Grade.notebook_id == SubmittedNotebook.id)
                .join(SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
                .join(Assignment, SubmittedAssignment.assignment_id == Assignment.id)
                .filter(Assignment.name == self._lesson)
                .order_by(SubmittedAssignment.student_id)
            )
            if student:
                rows = rows.filter(SubmittedAssignment.student_id == student)
            return {
                name: _standing([_Part(*part) for _, *part in theirs])
                for name, theirs in groupby(rows.yield_per(_AT_ONCE), key=itemgetter(0))
            }

    def shares(self) -> dict[str, list[float]]:
        """Of every lesson that was graded, by name: what share of the points each submission has, the least first.

        A submission without any points, one that could not be graded, is left out.
        """
        book = self.lesson_grades()
        found: dict[str, list[float]] = {}
        for lesson, most in book.most.items():
            scores = [one.score for one in book.grades[lesson].values() if one.score is not None]
            if scores:
                found[lesson] = sorted(score / most if most else 0.0 for score in scores)
        return found

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

    @contextmanager
    def _at_once(self) -> Iterator[None]:
        """Write all of it or nothing: nbgrader would commit cell by cell, and read everything anew after each.

        Only for what nobody else writes: two who hold what the other waits for would never end.
        """
        session = self._book.db
        session.commit = session.flush
        try:
            yield
        except BaseException:
            session.rollback()
            raise
        finally:
            del session.commit
        session.commit()

    def _prepared(self, preprocessor: Any, student: str) -> Any:
        """An nbgrader preprocessor that uses this open gradebook instead of opening its own."""
        preprocessor.gradebook = self._book
        preprocessor.notebook_id = preprocessor.assignment_id = self._lesson
        preprocessor.student_id = student
        return preprocessor

    def _resources(self, student: str) -> dict[str, Any]:
        about = {"notebook": self._lesson, "assignment": self._lesson, "student": student, "db_url": self._url}
        return {"nbgrader": about, "unique_key": self._lesson}


def members_in(database: Any) -> list[Member]:
    """Every student of a gradebook, by id."""
    columns = (getattr(Student, name) for name in COLUMNS)
    members = (member_of(said or "" for said in row) for row in database.query(*columns))
    return sorted(members, key=lambda member: member.id)


#: how many rows of a large class are held at once
_AT_ONCE = 5_000


class _Part(NamedTuple):
    """A graded cell of one submission."""

    name: str
    cell_type: str
    most: float
    score: float
    manual: float | None
    needs_manual: bool
    penalty: float | None


def _standing(parts: list[_Part]) -> Standing:
    """One submission, from all of its cells that are graded."""
    penalty = max((part.penalty or 0.0 for part in parts), default=0.0)
    to_grade = [part for part in parts if part.needs_manual]
    return Standing(
        score=max(0.0, round(sum(part.score for part in parts) - penalty, 6)),
        late=round(penalty, 6),
        max_score=round(sum(part.most for part in parts), 6),
        exercises={part.name.removeprefix("check-"): part.score for part in parts if part.cell_type == "code"},
        waiting=sorted(part.name for part in to_grade if part.cell_type == "markdown" and part.manual is None),
        to_review=sum(part.manual is not None for part in to_grade),
        by_person=frozenset(part.name for part in parts if part.manual is not None),
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
