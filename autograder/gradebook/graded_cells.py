"""Query graded cells. Only this file knows how nbgrader's tables refer to each other."""

from __future__ import annotations

from typing import Any

from nbgrader.api import Assignment, Grade, GradeCell, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import case, func

from autograder.gradebook.lesson_grades import LessonGrade, LessonGrades
from autograder.gradebook.parts import Part, Parts


def of_lesson(query: Any, lesson: str) -> Any:
    """Join a query about grades with their cells and submissions, and keep the grades of one lesson."""
    return (
        query.select_from(Grade)
        .join(GradeCell, Grade.cell_id == GradeCell.id)
        .join(SubmittedNotebook, Grade.notebook_id == SubmittedNotebook.id)
        .join(SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .join(Assignment, SubmittedAssignment.assignment_id == Assignment.id)
        .filter(Assignment.name == lesson)
    )


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
