"""The right values of a question, for a cell in which a student looks for a mistake."""

from __future__ import annotations

from typing import Any

from course_lib.checking.answers import Answer
from course_lib.checking.closeness import identical
from course_lib.checking.explain.differences import returns_of, wrong_call
from course_lib.checking.questions import Question
from course_lib.checking.questions.question import as_tuple
from course_lib.checking.values import copy


def expected(question: Question, ours: Answer | None, right: Answer) -> Any:
    """Return the right values where this implementation goes wrong or, if nothing is wrong, what comes back."""
    number = wrong_call(question, ours, right) if ours else 0
    values = returns_of(right, number)
    names = [name for name in question.returns if name in values]
    if ours and not ours.error:
        mine = returns_of(ours, number)
        if all(name in mine and identical(mine[name], values[name]) for name in names):
            names = []  # what came back is right, so something else is wrong
    found = {name: values[name] for name in names} or dict(right.values)
    found = copy({name: value for name, value in found.items() if name != "shapes"})
    return next(iter(found.values())) if len(found) == 1 else as_tuple(found)
