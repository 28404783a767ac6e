"""Find the exercise that a student means by a name, or by the function or class itself."""

from __future__ import annotations

from typing import Any

from course_lib.contents import exercise_called, exercises_of, public_exercises
from course_lib.misused import Misused
from course_lib.session import CURRENT
from course_lib.suggestion import suggestion

MISSING: Any = object()  #: an argument that was left out


def asked(exercise: Any, called: str) -> str:
    """Return the id of an exercise.

    Args:
        exercise: its id, the name that students define, or what they defined.
        called: the function that was called, for the message.

    Raises:
        Misused: there is no such exercise, or none is named.
    """
    name = exercise if isinstance(exercise, str) else getattr(exercise, "__name__", None)
    if not isinstance(name, str):
        raise Misused(f'Name an exercise, as in {called}("{next(reversed(CURRENT.checked), "softmax")}").')
    if entry := exercise_called(name):
        return entry.id
    ids = {known: entry.id for entry in public_exercises() for known in (entry.symbol, entry.id)}
    here = ", ".join(entry.id for entry in exercises_of(CURRENT.lesson))
    known = f"; those of this lesson are: {here}" if here else "; to list them, type in a terminal: course exercises"
    raise Misused(f"no exercise is called {name!r}{suggestion(name, ids, ids) or known}")


def asked_to_check(exercise: Any, implementation: Any) -> tuple[str, Any]:
    """Return the id and the implementation that `check` was called with, in either order or with only the latter.

    Raises:
        Misused: there is no such exercise, or no implementation.
    """
    if not isinstance(exercise, str) and (implementation is MISSING or isinstance(implementation, str)):
        name = exercise if implementation is MISSING else implementation
        exercise, implementation = name, exercise
    exercise_id = asked(exercise, "check")
    if implementation is MISSING:
        symbol = next(entry.symbol for entry in public_exercises() if entry.id == exercise_id)
        raise Misused(f'Pass your code, too: check("{exercise_id}", {symbol}).')
    return exercise_id, implementation
