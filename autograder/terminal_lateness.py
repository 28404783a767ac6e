"""Name the students whose late penalty changes, in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from rich.markup import escape

from autograder.first_few import first_few
from autograder.terminal import out
from course_lib.checking.formatting import many, number
from course_lib.course import CourseError

if TYPE_CHECKING:
    from autograder.gradebook.due_dates import Penalty
    from autograder.gradebook.gradebook import Records


def update_penalties(records: Records) -> None:
    """Bring the late penalties of every lesson up to date, and name the students whose penalty changes.

    Raises:
        CourseError: the gradebook cannot be written, or the late policy fails.
    """
    for lesson, penalties in records.update_penalties().items():
        out.print(f"{lesson}: {escape(in_words(penalties))}", soft_wrap=True)


@contextmanager
def penalties_named(records: Records) -> Iterator[None]:
    """Name the students whose late penalty for the lesson changes inside the block, even if it ends with an error."""
    from autograder.gradebook.due_dates import differences

    before = records.penalties()

    def show() -> None:
        if other := differences(before, records.penalties()):
            out.print(escape(in_words(other)), soft_wrap=True)

    try:
        yield
    except BaseException:
        with suppress(CourseError):  # the gradebook may be why the block ended
            show()
        raise
    show()


def in_words(penalties: Mapping[str, Penalty]) -> str:
    """Describe changes of late penalties in a sentence."""
    named = first_few(
        f"{student} {number(one.before)} → {number(one.now)}"
        + (" (the file that was graded now has no submission time)" if one.time_lost else "")
        for student, one in sorted(penalties.items())
    )
    lose = f"{many(len(penalties), 'student')} {'loses' if len(penalties) == 1 else 'lose'}"
    return f"{lose} other points for being late by now: {named}."
