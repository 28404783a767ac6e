"""Query graded cells. Only this file knows how nbgrader's tables refer to each other."""

from __future__ import annotations

from typing import Any

from nbgrader.api import (
    Assignment,
    Comment,
    Grade,
    Gradebook,
    GradeCell,
    SolutionCell,
    SubmittedAssignment,
    SubmittedNotebook,
)  # fmt: skip
from sqlalchemy import case, func

from autograder.gradebook.lesson_grades import LessonGrade, LessonGrades
from autograder.gradebook.parts import Part, Parts


def of_lesson(query: Any, lesson: str, row: Any = Grade, cell: Any = GradeCell) -> Any:
    """Join a query about grades with their cells and submissions, and keep the grades of one lesson.

    Args:
        row: the table that the query is about, if not grades.
        cell: the table of its cells.
    """
    return (
        query.select_from(row)
        .join(cell, row.cell_id == cell.id)
        .join(SubmittedNotebook, row.notebook_id == SubmittedNotebook.id)
        .join(SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .join(Assignment, SubmittedAssignment.assignment_id == Assignment.id)
        .filter(Assignment.name == lesson)
    )


class SubmissionRows:
    """The grades and comments of one submission, read with one query each.

    `nbgrader.api.Gradebook` has the same methods, and needs a query for each cell.
    """

    def __init__(self, book: Gradebook, lesson: str, student: str) -> None:
        self._book = book
        self._grades = self._rows(Grade, GradeCell, lesson, student)
        self._comments = self._rows(Comment, SolutionCell, lesson, student)

    def _rows(self, row: Any, cell: Any, lesson: str, student: str) -> dict[str, Any]:
        found = of_lesson(self._book.db.query(row, cell.name), lesson, row, cell)
        return {name: one for one, name in found.filter(SubmittedAssignment.student_id == student)}

    def find_grade(self, cell: str, notebook: str, lesson: str, student: str) -> Any:
        """Return the grade of a cell of this submission."""
        return self._grades.get(cell) or self._book.find_grade(cell, notebook, lesson, student)

    def find_comment(self, cell: str, notebook: str, lesson: str, student: str) -> Any:
        """Return the comment on a cell of this submission."""
        return self._comments.get(cell) or self._book.find_comment(cell, notebook, lesson, student)


def parts_of(database: Any, lesson: str) -> Parts:
    """Read all graded cells of a lesson that are worth points.

    Args:
        database: the session of a gradebook.
    """
    rows = of_lesson(
        database.query(
            SubmittedAssignment.student_id,
            GradeCell.name,
            GradeCell.max_score,
            Grade.auto_score,
            Grade.manual_score,
            Grade.needs_manual_grade,
        ),
        lesson,
    ).filter(GradeCell.max_score > 0)
    found: dict[str, dict[str, Part]] = {}
    for student, name, most, auto, manual, waits in rows:
        score = auto if manual is None else manual
        part = Part(score, most, manual is not None, bool(waits))
        found.setdefault(student, {})[name.removeprefix("check-")] = part
    return found


def lesson_grades(database: Any) -> LessonGrades:
    """Read the points of every submission of every lesson, added up by the database.

    Args:
        database: the session of a gradebook.
    """
    lessons = sorted(
        (name, most, due)
        for name, most, due in database.query(Assignment.name, Assignment.max_score, Assignment.duedate)
    )
    grades: dict[str, dict[str, LessonGrade]] = {name: {} for name, _, _ in lessons}
    rows = (
        database.query(
            Assignment.name,
            SubmittedAssignment.student_id,
            SubmittedAssignment.timestamp,
            func.sum(Grade.score),
            func.max(SubmittedNotebook.late_submission_penalty),
            func.sum(case((Grade.needs_manual_grade, 1), else_=0)),
            func.count(func.coalesce(Grade.manual_score, Grade.auto_score)),
        )
        .select_from(Grade)
        .join(SubmittedNotebook, Grade.notebook_id == SubmittedNotebook.id)
        .join(SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .join(Assignment, SubmittedAssignment.assignment_id == Assignment.id)
        .group_by(Assignment.name, SubmittedAssignment.id)
    )
    for lesson, student, time, raw, penalty, ungraded, given in rows:
        late = min(penalty or 0.0, raw)
        score = round(raw - late, 6) if given else None
        grades[lesson][student] = LessonGrade(score, round(raw, 6), late, int(ungraded), time)
    most = {name: round(points, 6) for name, points, _ in lessons}
    return LessonGrades(most, {name: due for name, _, due in lessons}, grades)
