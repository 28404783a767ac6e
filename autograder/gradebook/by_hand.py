"""Keep track of manual scores. Each is kept until the answer that it was given for changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from nbgrader.api import Grade, GradeCell, SubmittedAssignment

from autograder.gradebook.answers import Answers
from autograder.gradebook.graded_cells import of_lesson


def given(database: Any, lesson: str, student: str) -> dict[str, bool]:
    """Return whether each manual score of a submission waits for review, by nbgrader's name of the cell."""
    return {name: bool(grade.needs_manual_grade) for grade, name in _grades(database, lesson, student)}


def mark(database: Any, lesson: str, student: str, waiting: Iterable[str]) -> None:
    """Mark the manual scores of these cells as waiting for review, and all others as reviewed."""
    waiting = set(waiting)
    for grade, name in _grades(database, lesson, student):
        grade.needs_manual_grade = name in waiting
    database.flush()


def review(before: Mapping[str, bool], earlier: Answers, now: Answers) -> tuple[set[str], dict[str, str]]:
    """Decide which manual scores wait for review once a submission has been graded again.

    A score that was not waiting was given for the earlier answer. A score that was waiting was given for an answer
    before that. An unknown answer counts as a different one.

    Args:
        before: the manual scores, and whether each was waiting.
        earlier: the answers that were graded before.
        now: the answers that are graded now.

    Returns:
        The names of the cells whose scores wait, and the answers that those scores were given for.
    """
    waiting, scored = set[str](), dict[str, str]()
    for name, waited in before.items():
        belongs = (earlier.scored.get(name) if waited else None) or earlier.current.get(name)
        same_file = bool(now.file) and now.file == earlier.file and not earlier.scored.get(name)
        if same_file or (belongs and belongs == now.current.get(name)):
            if waited and name not in earlier.scored:  # for another reason, which still applies
                waiting.add(name)
        else:
            waiting.add(name)
            scored[name] = belongs or ""
    return waiting, {name: answer for name, answer in scored.items() if answer}


def above_maximum(database: Any, cell: GradeCell) -> None:
    """Mark a cell's manual scores as waiting for review if they are above its new maximum."""
    grades = database.query(Grade).filter(Grade.cell_id == cell.id, Grade.manual_score > cell.max_score)
    grades.update({Grade.needs_manual_grade: True}, synchronize_session=False)


def _grades(database: Any, lesson: str, student: str) -> Any:
    query = of_lesson(database.query(Grade, GradeCell.name), lesson)
    return query.filter(SubmittedAssignment.student_id == student, Grade.manual_score.is_not(None))
