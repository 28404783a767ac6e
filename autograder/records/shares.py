"""What becomes of grades that stay while their exercises come to be worth other points: each keeps its share of them.

Grades stay where a student's file is not among the submissions, or can no longer be read. What an exercise is worth
stands in the gradebook once, for everybody: points of before would be counted against the maximum of now.
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

from autograder.records.by_hand import above_maximum
from autograder.records.changes import other_points
from autograder.records.graded_cells import of_lesson
from autograder.records.record import Record
from course_lib.checking.formatting import number


def worth_of(released: Any) -> dict[str, float]:
    """The points of a lesson's graded cells, by nbgrader's names."""
    return {cell.metadata.nbgrader.grade_id: float(cell.metadata.nbgrader.points) for cell in _graded(released)}


def has_lesson(database: Any, lesson: str, released: Any) -> bool:
    """Whether a gradebook has a lesson with exactly these cells, points and sources."""

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
    """Give a lesson's cells their points of now, and the grader's own points their share of these; a person's stay.

    It happens at once or not at all, and not where the lesson has other cells: nbgrader refuses that.

    Args:
        database: the session of a gradebook.
        released: the lesson's notebook as it is built now.
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
    """Give students the grader's own points of exercises, where other ones stand.

    They do where nbgrader itself has entered what a cell is worth: it leaves grades as they are.

    Args:
        points: by student and exercise.
    """
    query = database.query(Grade, GradeCell.name, SubmittedAssignment.student_id)
    rows = of_lesson(query, lesson).filter(SubmittedAssignment.student_id.in_(points), Grade.auto_score.is_not(None))
    for grade, name, student in rows:
        score = points[student].get(name.removeprefix("check-"), grade.auto_score)
        if other_points(grade.auto_score, score):
            grade.auto_score = score
    database.commit()


def rescaled(record: Record, worth: Mapping[str, float]) -> Record:
    """A record with its share of what exercises are worth by now, which says so; the same where none is worth another.

    Args:
        worth: their points, by id.
    """
    other = {
        name: (exercise, worth[name])
        for name, exercise in record["exercises"].items()
        if exercise["max_score"] and name in worth and round(worth[name] - exercise["max_score"], 6)
    }
    if not other:
        return record
    record = record.copy()
    record["exercises"], record["notes"] = record["exercises"].copy(), list(record["notes"])
    for name, (exercise, now) in other.items():
        most = exercise["max_score"]
        score = round(exercise["score"] * now / most, 6)
        record["exercises"][name] = {**exercise, "score": score, "max_score": now}
        record["max_score"] = round(record["max_score"] + now - most, 6)
        if record["score"] is not None:
            record["score"] = round(record["score"] + score - exercise["score"], 6)
        about = f"{name} is worth "
        record["notes"] = [note for note in record["notes"] if not note.startswith(about)]
        record["notes"].append(f"{about}{number(now)} points by now, of which this earlier grade keeps its share")
    return record


def _graded(released: Any) -> list[Any]:
    return [cell for cell in released.cells if is_grade(cell)]


def _of_lesson(query: Any, lesson: str) -> Any:
    return query.join(Notebook).join(Assignment).filter(Assignment.name == lesson)
