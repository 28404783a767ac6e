"""Queries about the graded cells of one lesson: the one place that knows how nbgrader's tables hang together."""

from __future__ import annotations

from typing import Any

from nbgrader.api import Assignment, Grade, GradeCell, SubmittedAssignment, SubmittedNotebook


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
