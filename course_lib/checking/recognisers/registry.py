"""What recognisers share: a registry by name, and the comparison that most of them make."""

from __future__ import annotations

from collections.abc import Mapping

from course_lib.checking.exercise import Recogniser
from course_lib.checking.sheet import Sheet, same_answer

#: the recognisers, by the name that an answer key uses
RECOGNISERS: dict[str, Recogniser] = {}


def recogniser(function: Recogniser) -> Recogniser:
    """Register a recogniser under its own name."""
    RECOGNISERS[function.__name__] = function
    return function


def stops_only_with(messages: Mapping[str, str], sheet: Sheet, reference: Sheet) -> bool:
    """Return whether each answer is right or an error with its question's message, and at least one is an error."""
    errors = {name: answer.error.message for name, answer in sheet.items() if answer.error}
    return (
        bool(errors)
        and all(name in messages and messages[name] in message for name, message in errors.items())
        and all(same_answer(right, sheet[name]) for name, right in reference.items() if name in sheet.keys() - errors)
    )
