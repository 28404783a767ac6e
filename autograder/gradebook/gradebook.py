"""Read and write nbgrader's gradebook through nbgrader's own preprocessors and API."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from types import TracebackType
from typing import Any

from nbgrader.api import Assignment, Gradebook, MissingEntry, SubmittedAssignment
from nbgrader.preprocessors import GetGrades, SaveCells

from autograder.class_folder.gradebook_url import alone, file_of, with_driver, without_password
from autograder.collecting.roster import Member
from autograder.gradebook import due_dates, people, submission_points
from autograder.gradebook.answers import Answers
from autograder.gradebook.due_dates import Late, Penalty
from autograder.gradebook.errors import opening, using
from autograder.gradebook.graded_cells import lesson_grades, parts_of
from autograder.gradebook.lateness import Lateness
from autograder.gradebook.lesson_grades import LessonGrades
from autograder.gradebook.parts import Parts
from autograder.gradebook.points import SubmissionPoints
from autograder.gradebook.saving import save_points
from autograder.gradebook.shares import give, has_lesson, rescale
from autograder.gradebook.tables import make_tables
from course_lib.course import CourseError, Written

Notebook = Any


class Records:
    """One lesson in an open gradebook. Several processes may open the same gradebook for different submissions.

    Every problem with reading or writing it (a lasting lock, a full disk, a server that is down) raises a `CourseError`
    with a message of one sentence. Everything that was saved before stays saved.
    """

    def __init__(self, url: str, lesson: str = "", written: Written = "off", lateness: Lateness | None = None) -> None:
        self._url, self._lesson, self._written = with_driver(url), lesson, written
        self._lateness = lateness or Lateness()

    def __enter__(self) -> Records:
        """Open the gradebook, and create it if there is none.

        Raises:
            CourseError: the gradebook cannot be opened.
        """
        with opening(self._url):
            if file := file_of(self._url):
                file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with alone(self._url):
                make_tables(self._url)
                self._book = Gradebook(self._url)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the gradebook."""
        self._book.close()

    def register(self, released: Notebook) -> bool:
        """Enter the lesson's cells into the gradebook, as ``nbgrader generate_assignment`` does.

        nbgrader removes a lesson without submissions and enters it again. Leave a lesson alone if all its cells are
        entered, because another grader who has just begun would otherwise find no cells for a moment. If a cell's
        points have changed, scale the grader's own points with them.

        Returns:
            Whether anything was entered.

        Raises:
            CourseError: the lesson's cells have changed since submissions were graded.
        """
        try:
            with self._access(), alone(self._url):
                if new := not has_lesson(self._book.db, self._lesson, released):
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

    def save(
        self,
        student: str,
        notebook: Notebook,
        time: datetime | None = None,
        answers: Answers | None = None,
        earlier: Callable[[], Answers] = Answers,
        later: bool = False,
    ) -> dict[str, str]:
        """Write a graded notebook's points and comments. Keep the scores and comments that a person gave.

        A manual score waits for review if its answer has changed.

        Args:
            time: the submission time, if it is known.
            answers: the answers in the notebook.
            earlier: returns the answers that were graded before. It is called only if there are manual scores.
            later: whether this is a later file than the one that was graded before.

        Returns:
            The answer that each score was given for, for the scores that wait for review.
        """
        with self._access():
            self._submission(student)
            scored = save_points(
                self._book, self._lesson, student, notebook, self._written, answers or Answers(), earlier
            )
        self.settle({student: time}, later=[student] if later else ())
        return scored

    def save_ungraded(self, student: str, time: datetime | None = None, later: bool = False) -> None:
        """Record that a submission has no points and waits for a person. Keep manual scores."""
        with self._access():
            for notebook in self._submission(student).notebooks:
                for grade in notebook.grades:
                    grade.auto_score, grade.needs_manual_grade = None, True
            self._book.db.commit()
        self.settle({student: time}, later=[student] if later else ())

    def give(self, points: Mapping[str, Mapping[str, float]]) -> None:
        """Write the grader's own points, by student and exercise. Keep manual scores."""
        with self._access():
            give(self._book.db, self._lesson, points)

    def settle(
        self,
        times: Mapping[str, datetime | None],
        scores: Mapping[str, float] | None = None,
        write: bool = True,
        later: Collection[str] = (),
    ) -> dict[str, Penalty]:
        """Enter the submission times, if they are known, and the late penalties.

        Args:
            scores: the points that submissions are about to get, instead of those in the gradebook.
            write: whether to write the result, or only work it out.
            later: the students with a later file. Their old times are dropped even if the new ones are unknown.

        Returns:
            Every penalty that has changed, by student.

        Raises:
            CourseError: the late policy fails.
        """
        with self._access():
            return due_dates.settle(self._book.db, self._lesson, self._lateness, times, scores, write, later)

    def lateness_costs(self) -> bool:
        """Return whether the lesson has a due date and being late costs points.

        Raises:
            CourseError: the late policy cannot be read.
        """
        with self._access():
            return due_dates.lateness_costs(self._book.db, self._lesson, self._lateness)

    def update_penalties(self) -> dict[str, dict[str, Penalty]]:
        """Bring the late penalties of every lesson up to date, see `due_dates.update_penalties`."""
        with self._access():
            return due_dates.update_penalties(self._book.db, self._lateness)

    def penalties(self) -> dict[str, Late]:
        """Return the late penalty of every submission of the lesson, by student."""
        with self._access():
            return due_dates.penalties(self._book.db, self._lesson)

    def _submission(self, student: str) -> Any:
        self._book.update_or_create_student(student)
        return self._book.update_or_create_submission(self._lesson, student)

    def with_grades(self, student: str, notebook: Notebook) -> tuple[Notebook, dict[str, Any]]:
        """Return the notebook with points and comments from the gradebook, and the resources for a feedback page.

        Raises:
            CourseError: the gradebook has no submission of this student.
        """
        try:
            with self._access():
                return GetGrades().preprocess(notebook, self._resources(student))  # type: ignore[no-any-return]
        except MissingEntry:
            raise CourseError(f"The gradebook has no submission of {student!r} for {self._lesson}.") from None

    def enrol(self, members: Iterable[Member]) -> None:
        """Enter the members of the class with their names and addresses. Update those who are already there."""
        with self._access():
            people.enrol(self._book.db, members)

    def everyone(self) -> dict[str, list[str]]:
        """Return every student in the gradebook, with the lessons that the student has submissions of."""
        with self._access():
            return people.everyone(self._book)

    def remove(self, students: Iterable[str]) -> None:
        """Remove students with all their data."""
        with self._access():
            people.remove(self._book, students)

    def students(self) -> set[str]:
        """Return the students who have a submission of the lesson."""
        with self._access():
            rows = self._book.db.query(SubmittedAssignment.student_id).join(Assignment)
            return {student for (student,) in rows.filter(Assignment.name == self._lesson)}

    def with_points(self) -> set[str]:
        """Return the students who have points in the lesson, from the grader or from a person."""
        with self._access():
            return submission_points.with_points(self._book.db, self._lesson)

    def members(self) -> list[Member]:
        """Return the members of the class that the gradebook knows."""
        with self._access():
            return people.members_in(self._book.db)

    def due(self) -> list[tuple[str, datetime, dict[str, timedelta]]]:
        """Return every lesson that has a due date, with the date in UTC and the students' extensions."""
        with self._access():
            return due_dates.due(self._book.db)

    def enter_due(self, date: datetime | None, extensions: Mapping[str, timedelta]) -> None:
        """Enter the lesson's due date in UTC, and exactly these extensions. Enter the lesson if it is new."""
        with self._access():
            self._book.update_or_create_assignment(self._lesson)
            due_dates.enter(self._book.db, self._lesson, date, extensions)

    def lesson_grades(self) -> LessonGrades:
        """Return the points of every submission of every lesson."""
        with self._access():
            return lesson_grades(self._book.db)

    def parts(self) -> Parts:
        """Return the points of every graded cell of the lesson that is worth points, by student and name."""
        with self._access():
            return parts_of(self._book.db, self._lesson)

    def submission_points(self, student: str = "", lesson: str = "") -> dict[str, SubmissionPoints]:
        """Return the points of every submission of the lesson, or of another one, or of one student's, by student."""
        with self._access():
            return submission_points.submission_points(self._book.db, lesson or self._lesson, student)

    def _access(self) -> AbstractContextManager[None]:
        """Use the gradebook.

        Raises:
            CourseError: the gradebook cannot be read or written.
        """
        return using(self._url, self._book.db.rollback)

    def _resources(self, student: str) -> dict[str, Any]:
        about = {"notebook": self._lesson, "assignment": self._lesson, "student": student, "db_url": self._url}
        return {"nbgrader": about, "unique_key": self._lesson}
