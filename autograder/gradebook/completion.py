"""Grade written questions for completion if nobody grades them by hand."""

from __future__ import annotations

from typing import Any


def complete(book: Any, lesson: str, student: str, cell: Any) -> None:
    """Give full points to a written answer that differs from the released text."""
    grade = book.find_grade(cell.metadata.nbgrader.grade_id, lesson, lesson, student)
    if grade.auto_score is None:  # nbgrader's sign that there is an answer
        grade.auto_score, grade.needs_manual_grade = float(cell.metadata.nbgrader.points), False
        book.db.commit()
