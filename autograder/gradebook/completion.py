"""Grade written questions for completion if nobody grades them by hand."""

from __future__ import annotations

from typing import Any

from nbgrader.preprocessors import NbGraderPreprocessor
from nbgrader.utils import is_grade

from course_lib.course import find_course

Cell = Any


class GradeForCompletion(NbGraderPreprocessor):  # type: ignore[misc]
    """Give full points to every written question that has an answer. nbgrader runs this after `SaveAutoGrades`."""

    def preprocess(self, nb: Any, resources: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Grade the notebook's written answers unless the course grades them by hand."""
        return (nb, resources) if find_course().written == "hand" else super().preprocess(nb, resources)

    def preprocess_cell(self, cell: Cell, resources: dict[str, Any], index: int) -> tuple[Cell, dict[str, Any]]:
        """Grade the cell if it is a written answer."""
        from nbgrader.api import Gradebook

        if is_grade(cell) and cell.cell_type == "markdown":
            about = resources["nbgrader"]
            with Gradebook(about["db_url"]) as book:
                complete(book, about["assignment"], about["student"], cell)
        return cell, resources


def complete(book: Any, lesson: str, student: str, cell: Cell) -> None:
    """Give full points to a written answer that differs from the released text."""
    grade = book.find_grade(cell.metadata.nbgrader.grade_id, lesson, lesson, student)
    if grade.auto_score is None:  # nbgrader's sign that there is an answer
        grade.auto_score, grade.needs_manual_grade = float(cell.metadata.nbgrader.points), False
        book.db.commit()
