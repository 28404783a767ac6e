"""Scale grades that are kept while an exercise's points change, so that each keeps its share of the points.

A grade is kept if the student's file is not among the submissions or can no longer be read. The gradebook stores an
exercise's maximum once for everybody, so it would otherwise count the old points against the new maximum.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nbgrader.api import (
    Assignment,
    Grade,
    GradeCell,
    Notebook,
    SourceCell,
    SubmittedAssignment,
)
from nbgrader.utils import is_grade, is_locked, is_solution

from autograder.gradebook.by_hand import above_maximum
from autograder.gradebook.graded_cells import of_lesson
from autograder.gradebook.points import other_points


def worth_of(released: Any) -> dict[str, float]:
    """Return the points of a lesson's graded cells, by nbgrader's names."""
    return {cell.metadata.nbgrader.grade_id: float(cell.metadata.nbgrader.points) for cell in _graded(released)}


def has_lesson(database: Any, lesson: str, released: Any) -> bool:
    """Return whether a gradebook has a lesson with exactly these cells, points and sources."""

    def entered(*columns: Any) -> set[Any]:
        return {tuple(row) for row in _of_lesson(database.query(*columns), lesson)}

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


def rescale(database: Any, lesson: str, released: Any) -> None:
    """Update the maximum points of a lesson's cells, and scale the grader's own points with them. Keep manual scores.

    Commit all changes at once. Do nothing if the lesson has other cells, which nbgrader rejects.

    Args:
        database: the session of a gradebook.
        released: the lesson's notebook in its current release.
    """
    worth = worth_of(released)
    cells = {cell.name: cell for cell in _of_lesson(database.query(GradeCell), lesson)}
    sources = {name for (name,) in _of_lesson(database.query(SourceCell.name), lesson)}
    if cells.keys() != worth.keys() or sources != {
        cell.metadata.nbgrader.grade_id
        for cell in released.cells
        if is_grade(cell) or is_solution(cell) or is_locked(cell)
    }:
        return
    for name, cell in cells.items():
        if cell.max_score and cell.max_score != worth[name]:
            share = worth[name] / cell.max_score
            grades = database.query(Grade).filter(Grade.cell_id == cell.id, Grade.auto_score.is_not(None))
            grades.update({Grade.auto_score: Grade.auto_score * share}, synchronize_session=False)
            cell.max_score = worth[name]
            above_maximum(database, cell)
    database.commit()


def give(database: Any, lesson: str, points: Mapping[str, Mapping[str, float]]) -> None:
    """Write the grader's own points of exercises if the gradebook has different ones.

    They differ if nbgrader itself has updated the maximum of a cell, because it does not scale the grades.

    Args:
        points: the points by student and exercise.
    """
    query = database.query(Grade, GradeCell.name, SubmittedAssignment.student_id)
    rows = of_lesson(query, lesson).filter(SubmittedAssignment.student_id.in_(points), Grade.auto_score.is_not(None))
    for grade, name, student in rows:
        score = points[student].get(name.removeprefix("check-"), grade.auto_score)
        if other_points(grade.auto_score, score):
            grade.auto_score = score
    database.commit()


def _graded(released: Any) -> list[Any]:
    return [cell for cell in released.cells if is_grade(cell)]


def _of_lesson(query: Any, lesson: str) -> Any:
    return query.join(Notebook).join(Assignment).filter(Assignment.name == lesson)
