"""Write the points of one graded notebook with nbgrader's own steps, in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from nbgrader.api import Gradebook
from nbgrader.preprocessors import SaveAutoGrades
from nbgrader.utils import is_grade

from autograder.records.answers import Answers
from autograder.records.by_hand import given, mark, review
from autograder.records.completion import complete
from course_lib.course import Written

Notebook = Any


def save_points(
    book: Gradebook,
    lesson: str,
    student: str,
    notebook: Notebook,
    written: Written,
    answers: Answers,
    earlier: Callable[[], Answers],
) -> dict[str, str]:
    """Write points and comments, and mark scores as waiting if their answers have changed; see `Records.save`."""
    by_hand, scored = given(book.db, lesson, student), dict[str, str]()
    with _at_once(book.db):
        saver = _in_open(book, SaveAutoGrades(), lesson, student)
        for index, cell in enumerate(notebook.cells):
            saver.preprocess_cell(cell, {}, index)
            if written != "hand" and is_grade(cell) and cell.cell_type == "markdown":
                complete(book, lesson, student, cell)
        if by_hand:
            waiting, scored = review(by_hand, earlier(), answers)
            mark(book.db, lesson, student, waiting)
    return scored


@contextmanager
def _at_once(session: Any) -> Iterator[None]:
    """Commit once at the end, because nbgrader would commit after each cell and then read everything again.

    Use it only for rows that no other process writes, because two processes that wait for each other would deadlock.
    """
    session.commit = session.flush
    try:
        yield
    except BaseException:
        session.rollback()
        raise
    finally:
        del session.commit
    session.commit()


def _in_open(book: Gradebook, preprocessor: Any, lesson: str, student: str) -> Any:
    """Make an nbgrader preprocessor use an open gradebook instead of opening its own."""
    preprocessor.gradebook = book
    preprocessor.notebook_id = preprocessor.assignment_id = lesson
    preprocessor.student_id = student
    return preprocessor
