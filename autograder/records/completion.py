"""Written questions that nobody grades by hand: for completion, or worth nothing."""

from __future__ import annotations

from typing import Any

from nbgrader.preprocessors import NbGraderPreprocessor
from nbgrader.utils import is_grade

from course_lib.course import find_course

Cell = Any


class GradeForCompletion(NbGraderPreprocessor):  # type: ignore[misc]
    """After `SaveAutoGrades`: an answer of one's own to a written question earns what it is worth."""

    def preprocess(self, nb: Any, resources: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Do so unless the course grades by hand."""
        return (nb, resources) if find_course().written == "hand" else super().preprocess(nb, resources)

    def preprocess_cell(self, cell: Cell, resources: dict[str, Any], index: int) -> tuple[Cell, dict[str, Any]]:
        """Give a written answer its points, if there is one."""
        from nbgrader.api import Gradebook

        if is_grade(cell) and cell.cell_type == "markdown":
            about = resources["nbgrader"]
            with Gradebook(about["db_url"]) as book:
                complete(book, about["assignment"], about["student"], cell)
        return cell, resources


def complete(book: Any, lesson: str, student: str, cell: Cell) -> None:
    """Full points for one written answer that differs from what was released."""
    grade = book.find_grade(cell.metadata.nbgrader.grade_id, lesson, lesson, student)
    if grade.auto_score is None:  # how nbgrader says that an answer is there
        grade.auto_score, grade.needs_manual_grade = float(cell.metadata.nbgrader.points), False
        book.db.commit()
