"""Making answer keys while a person waits: with a bar, several at once, and only those that are missing."""

from __future__ import annotations

from collections.abc import Iterable

from autograder.exercises import DEFINITIONS
from autograder.exercises.definition import DefinitionError
from autograder.exercises.public_keys import make_public_keys, missing_public_keys
from autograder.terminal_progress import progress_bar
from course_lib.course import CourseError


def make_answer_keys(exercise_ids: Iterable[str], workers: int, whole: bool = False) -> int:
    """Make the public keys that are not kept yet; how many these were.

    Args:
        whole: as they are released.

    Raises:
        CourseError: an exercise is not defined as it can be asked.
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
    """The exercises of a lesson and of all before it."""
    return [definition.id for definition in DEFINITIONS.values() if definition.exercise.lesson <= lesson]
