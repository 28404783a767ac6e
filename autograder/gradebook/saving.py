"""Write the points of one graded notebook with nbgrader's own steps, in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from nbgrader.api import Gradebook
from nbgrader.preprocessors import SaveAutoGrades
from nbgrader.utils import is_grade

from autograder.gradebook.answers import Answers
from autograder.gradebook.by_hand import given, mark, review
from autograder.gradebook.completion import complete
from autograder.gradebook.graded_cells import SubmissionRows
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
    with one_transaction(book):
        rows = _Rows(book, lesson, student)
        saver = _in_open(rows, SaveAutoGrades(), lesson, student)
        for index, cell in enumerate(notebook.cells):
            saver.preprocess_cell(cell, {}, index)
            if written != "hand" and is_grade(cell) and cell.cell_type == "markdown":
                complete(rows, lesson, student, cell)
        book.db.flush()
        if by_hand:
            waiting, scored = review(by_hand, earlier(), answers)
            mark(book.db, lesson, student, waiting)
    return scored


@contextmanager
def one_transaction(book: Gradebook) -> Iterator[None]:
    """Commit once at the end of the block, and commit nothing if it raises.

    nbgrader's API commits after each change. Inside the block, its session joins a transaction that it can roll back
    but not commit: its commits only flush. So a save takes one transaction, and no SAVEPOINT, which SQLite's driver
    handles badly.

    Use it only for rows that no other process writes, because two processes that wait for each other would deadlock.

    Raises:
        InvalidRequestError: the transaction was rolled back inside the block, and the error was caught there.
    """
    book.db.remove()  # a session keeps the settings that it began with
    try:
        with book.engine.connect() as connection, connection.begin() as transaction:
            book.db.configure(bind=connection, join_transaction_mode="rollback_only", expire_on_commit=False)
            yield
            book.db.flush()
            transaction.commit()
    finally:
        book.db.remove()
        book.db.configure(bind=book.engine, join_transaction_mode="conditional_savepoint", expire_on_commit=True)


class _Rows(SubmissionRows):
    """The part of an open gradebook that nbgrader's steps write to. What they commit, `one_transaction` commits."""

    def __init__(self, book: Gradebook, lesson: str, student: str) -> None:
        super().__init__(book, lesson, student)
        self.db = SimpleNamespace(commit=lambda: None)


def _in_open(book: Any, preprocessor: Any, lesson: str, student: str) -> Any:
    """Make an nbgrader preprocessor use an open gradebook instead of opening its own."""
    preprocessor.gradebook = book
    preprocessor.notebook_id = preprocessor.assignment_id = lesson
    preprocessor.student_id = student
    return preprocessor
