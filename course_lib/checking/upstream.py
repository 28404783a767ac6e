"""An error inside an earlier exercise's code: which exercise is at fault, and how this one does without it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from course_lib.checking.answer_key import AnswerKey, public_key
from course_lib.checking.formatting import number
from course_lib.checking.judge import Verdict, judge
from course_lib.checking.over_ours import over_sentence
from course_lib.checking.sheet import Error, Sheet
from course_lib.contents import public_exercises
from course_lib.stand_ins import STAND_INS

#: asks an implementation a key's questions
Asked = Callable[[AnswerKey, Any], Sheet]


def upstream(key: AnswerKey, verdict: Verdict, implementation: Any, asked: Asked) -> str:
    """Return the text for a card if the implementation stops inside an earlier exercise that is wrong; otherwise empty.

    It isn't enough that the error occurs there, because a correct part also stops when it receives invalid input. So
    the earlier exercise is judged by itself. If the course's own version of it is available, this exercise is then
    judged with that version. This serves only the advice; its points stay as they are.

    Args:
        verdict: the verdict on the implementation.
        asked: asks an implementation the questions of a key.
    """
    error, earlier, namespace = verdict.error, _stopped_in(key, verdict), namespace_of(implementation)
    if error is None or error.symbol not in namespace or not earlier:
        return ""
    part, name = namespace[error.symbol], f"`{error.symbol}`"
    if all(judge(other, asked(other, part)).passed for other in map(public_key, earlier)):
        return ""
    begun = _begun(error, key)
    right = getattr(import_module("course_lib.components"), error.symbol, None)  # students lack those of this lesson
    if right is None or right is part or error.symbol in STAND_INS:
        return begun
    with _exchanged(namespace, error.symbol, right):
        over_right = judge(key, asked(key, implementation))
    return f"{begun} {_worth(over_right, key, name)}".strip()


def namespace_of(implementation: Any) -> dict[str, Any]:
    """Return the namespace in which an implementation was written."""
    functions = vars(implementation).values() if inspect.isclass(implementation) else (implementation,)
    return next((function.__globals__ for function in functions if inspect.isfunction(function)), {})


def stops_below(key: AnswerKey, verdict: Verdict, verdicts: Mapping[str, Verdict]) -> str:
    """Return the same text if only answers are available, without judging this exercise on a right version.

    Args:
        verdict: the verdict on this exercise.
        verdicts: the verdicts on all exercises of the notebook.
    """
    earlier = [verdicts[name] for name in _stopped_in(key, verdict) if name in verdicts]
    if verdict.error is None or verdict.naming or all(other.passed for other in earlier):
        return ""
    return _begun(verdict.error, key)


def _stopped_in(key: AnswerKey, verdict: Verdict) -> list[str]:
    """Return the ids of the earlier exercises inside which the error occurs."""
    symbol, exercise = verdict.error.symbol if verdict.error else "", key.exercise
    if symbol in ("", exercise.symbol):
        return []
    return [e.id for e in public_exercises() if e.symbol == symbol and _place(e) < _place(exercise)]


def _begun(error: Error, key: AnswerKey) -> str:
    if error.unwritten:
        exercise = key.exercise
        declared = {e.symbol for e in public_exercises() if e.id in exercise.builds_on and e.lesson == exercise.lesson}
        later = f" {over_sentence([error.symbol], graded=False)}" if error.symbol in declared else ""
        return f"It builds on your `{error.symbol}`, which is not written yet: write that first.{later}"
    return f"It stops with {error.type} inside your `{error.symbol}`, which this builds on: put that right first."


def _worth(verdict: Verdict, key: AnswerKey, name: str) -> str:
    if verdict.passed:
        return f"Over a right {name}, every law holds here."
    if verdict.score == 0:
        return ""
    found = key.exercise.misconception(verdict.misconception).sentence if verdict.misconception else ""
    points = f"{number(verdict.score)} of {number(verdict.max_score)} points"
    return f"Over a right {name}, this would earn {points}{': ' if found else '.'}{found[:1].lower()}{found[1:]}"


def _place(exercise: Any) -> tuple[str, int]:
    return exercise.lesson, exercise.place


@contextmanager
def _exchanged(namespace: dict[str, Any], name: str, other: Any) -> Iterator[Mapping[str, Any]]:
    before = namespace[name]
    namespace[name] = other
    try:
        yield namespace
    finally:
        namespace[name] = before
