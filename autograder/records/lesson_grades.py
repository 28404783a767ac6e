"""The points of every submission in a gradebook, lesson by lesson, counted by the database and not row by row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from nbgrader.api import Assignment, Grade, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import case, func


@dataclass(frozen=True, slots=True)
class LessonGrade:
    """A submission of a lesson.

    Attributes:
        score: the points, less a penalty for being late; None where nobody has given any.
        raw: the points before that penalty.
        ungraded: how many of its parts wait for a person.
        undecided: why it cannot be graded, if nobody has decided yet what becomes of it.
    """

    score: float | None
    raw: float
    penalty: float
    ungraded: int
    time: datetime | None
    undecided: str = ""


@dataclass(frozen=True)
class LessonGrades:
    """All lessons of a gradebook.

    Attributes:
        most: the points that each lesson gives, by its name, in order.
        due: when each was due, where that is known.
        grades: by lesson and student.
    """

    most: Mapping[str, float]
    due: Mapping[str, datetime | None]
    grades: Mapping[str, Mapping[str, LessonGrade]]

    def shares(self) -> dict[str, list[float]]:
        """Of every lesson that was graded, by name: what share of the points each submission has, the least first.

        A submission without any points, one that could not be graded, is left out.
        """
        found: dict[str, list[float]] = {}
        for lesson, most in self.most.items():
            scores = [one.score for one in self.grades[lesson].values() if one.score is not None]
            if scores:
                found[lesson] = sorted(score / most if most else 0.0 for score in scores)
        return found


_ABOUT = (Assignment.name, Assignment.max_score, Assignment.duedate)


def lesson_grades(database: Any) -> LessonGrades:
    """Read them.

    Args:
        database: the session of a gradebook.
    """
    lessons = sorted((name, most, due) for name, most, due in database.query(*_ABOUT))
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
        late = penalty or 0.0
        score = max(0.0, round(raw - late, 6)) if given else None
        grades[lesson][student] = LessonGrade(score, round(raw, 6), late, int(ungraded), time)
    most = {name: round(points, 6) for name, points, _ in lessons}
    return LessonGrades(most, {name: due for name, _, due in lessons}, grades)
