"""Make missing answer keys while a person waits, several at once and with a progress bar."""

from __future__ import annotations

from collections.abc import Iterable

from autograder.exercises import DEFINITIONS
from autograder.exercises.definition import DefinitionError
from autograder.exercises.public_keys import make_public_keys, missing_public_keys
from autograder.terminal_progress import progress_bar
from course_lib.course import CourseError


def make_answer_keys(exercise_ids: Iterable[str], workers: int, whole: bool = False) -> int:
    """Make the public keys that are not in the cache yet, and return their number.

    Args:
        whole: whether to make the keys as they are released.

    Raises:
        CourseError: an exercise's definition is invalid.
    """
    missing = missing_public_keys(exercise_ids, whole)
    if not missing:
        return 0
    try:
        with progress_bar() as progress:
            bar = progress.add_task("Answer keys, made once on each machine", total=len(missing))
            for _ in make_public_keys(missing, min(workers, len(missing)), whole):
                progress.advance(bar)
    except DefinitionError as error:
        raise CourseError(f"{error}. See autograder/exercises.") from None
    return len(missing)


def up_to(lesson: str) -> list[str]:
    """Return the exercises of a lesson and of all lessons before it."""
    return [id for id in DEFINITIONS if DEFINITIONS.lesson(id) <= lesson]
