"""Read the points of every submission of a lesson from a gradebook."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from nbgrader.api import Assignment, Grade, GradeCell, SubmittedAssignment, SubmittedNotebook

from autograder.gradebook.graded_cells import of_lesson
from autograder.gradebook.points import SubmissionPoints

#: the number of rows that are held in memory at once
_AT_ONCE = 5_000


class _Part(NamedTuple):
    """A graded cell of one submission."""

    name: str
    cell_type: str
    most: float
    score: float
    manual: float | None
    needs_manual: bool
    extra: float | None
    penalty: float | None
    time: datetime | None
    extension: timedelta | None
    due: datetime | None

    @property
    def seconds_late(self) -> float:
        """Return how late the submission was handed in, or 0 if that is unknown."""
        if not self.time or not self.due:
            return 0.0
        return max(0.0, (self.time - self.due - (self.extension or timedelta())).total_seconds())


def submission_points(database: Any, lesson: str, student: str = "") -> dict[str, SubmissionPoints]:
    """Read the points of every submission of a lesson, or of one student's, by student."""
    rows = of_lesson(
        database.query(
            SubmittedAssignment.student_id,
            GradeCell.name,
            GradeCell.cell_type,
            GradeCell.max_score,
            Grade.score,
            Grade.manual_score,
            Grade.needs_manual_grade,
            Grade.extra_credit,
            SubmittedNotebook.late_submission_penalty,
            SubmittedAssignment.timestamp,
            SubmittedAssignment.extension,
            Assignment.duedate,
        ),
        lesson,
    ).order_by(SubmittedAssignment.student_id)
    if student:
        rows = rows.filter(SubmittedAssignment.student_id == student)
    return {
        name: _submission_points([_Part(*part) for _, *part in theirs])
        for name, theirs in groupby(rows.yield_per(_AT_ONCE), key=itemgetter(0))
    }


def _submission_points(parts: list[_Part]) -> SubmissionPoints:
    """Add up one submission from all its graded cells."""
    earned = sum(part.score for part in parts)
    penalty = min(max((part.penalty or 0.0 for part in parts), default=0.0), earned)
    to_grade = [part for part in parts if part.needs_manual]
    return SubmissionPoints(
        score=round(earned - penalty, 6),
        late=round(penalty, 6),
        max_score=round(sum(part.most for part in parts), 6),
        exercises={part.name.removeprefix("check-"): part.score for part in parts if part.cell_type == "code"},
        waiting=sorted(part.name for part in to_grade if part.cell_type == "markdown" and part.manual is None),
        to_review=sum(part.manual is not None for part in to_grade),
        above_maximum=sum(part.manual is not None and part.manual > part.most for part in to_grade),
        seconds_late=parts[0].seconds_late,
        by_person=frozenset(part.name for part in parts if part.manual is not None),
        extra={part.name.removeprefix("check-"): part.extra for part in parts if part.extra},
    )


def with_points(database: Any, lesson: str) -> set[str]:
    """Return the students who have points in a lesson, from the grader or from a person."""
    rows = (
        database.query(SubmittedAssignment.student_id)
        .join(Assignment, SubmittedAssignment.assignment_id == Assignment.id)
        .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .join(Grade, Grade.notebook_id == SubmittedNotebook.id)
        .filter(Assignment.name == lesson)
        .filter(Grade.auto_score.isnot(None) | Grade.manual_score.isnot(None))
    )
    return {student for (student,) in rows.distinct()}
