"""An earlier exercise is wrong: what that has to do with the answers to this one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from course_lib.checking.answer_key import AnswerKey, Excused
from course_lib.checking.answers import Answers, Error
from course_lib.checking.implementation import namespace_of
from course_lib.checking.naming import alike
from course_lib.contents import public_exercises
from course_lib.stand_ins import STAND_INS

if TYPE_CHECKING:
    from course_lib.checking.judge import Verdict

#: returns the verdict on an earlier exercise by its id, or None if there is none
Earlier = Callable[[str], "Verdict | None"]


@dataclass(frozen=True)
class Dependencies:
    """What earlier exercises have to do with an exercise's answers.

    Attributes:
        carried: ``(exercise, misconception)`` if the answers are right apart from the effects of that earlier mistake.
        stops_in: the wrong earlier exercises inside whose code this one stops with an error. There are several if a
            class or function of that name is written in several exercises.
        suspects: exercises that this one builds on, that are wrong and may explain the answers.
        over_right: the verdict with the course's version of the part in which it stops, if that is available.
        over_ours: the names of missing parts that the grader replaced by the course's version.
    """

    carried: tuple[str, str] | None = None
    stops_in: tuple[str, ...] = ()
    suspects: tuple[str, ...] = ()
    over_right: Verdict | None = None
    over_ours: tuple[str, ...] = ()


def explained_by(key: AnswerKey, answers: Answers, earlier: Earlier) -> tuple[tuple[str, str], Excused] | None:
    """Return the named earlier mistake over which these answers are right, and what is known of such answers."""
    for exercise_id in key.exercise.builds_on:
        verdict = earlier(exercise_id)
        if verdict is None or not verdict.wrong or not verdict.misconception:
            continue
        cause = exercise_id, verdict.misconception
        for excused in key.carried.get(cause, ()):
            if alike(key, excused.answers, answers) and excused.tells:
                return cause, excused
    return None


def suspects(key: AnswerKey, earlier: Earlier, explained: bool) -> tuple[str, ...]:
    """Return the wrong exercises that may explain the answers.

    Args:
        explained: whether a mistake in this exercise explains the answers. Then the named mistakes of earlier exercises
            don't show in them.
    """
    verdicts = {name: earlier(name) for name in key.exercise.builds_on}
    return tuple(
        name
        for name, verdict in verdicts.items()
        if verdict and verdict.wrong and not (explained and verdict.misconception)
    )


def stops_in(key: AnswerKey, error: Error | None, earlier: Earlier) -> tuple[str, ...]:
    """Return the earlier exercises inside whose code the error occurs, if one of them is wrong.

    It isn't enough that the error occurs there, because a correct part also stops when it receives invalid input.
    """
    exercise, symbol = key.exercise, error.symbol if error else ""
    if symbol in ("", exercise.symbol):
        return ()
    entries = [entry for entry in public_exercises() if entry.symbol == symbol]
    names = [entry.id for entry in entries if (entry.lesson, entry.place) < (exercise.lesson, exercise.place)]
    verdicts = [earlier(name) for name in names]
    return tuple(names) if any(verdict and not verdict.passed for verdict in verdicts) else ()


def over_right(symbol: str, implementation: Any, judge_again: Callable[[], Verdict]) -> Verdict | None:
    """Judge an implementation with the course's version of an earlier part in place of the student's.

    This serves only the advice; its points stay as they are.

    Returns:
        The verdict, or None if the course's version isn't available: students lack those of the current lesson.
    """
    namespace, right = namespace_of(implementation), getattr(import_module("course_lib.components"), symbol, None)
    if right is None or symbol not in namespace or right is namespace[symbol] or symbol in STAND_INS:
        return None
    before, namespace[symbol] = namespace[symbol], right
    try:
        return judge_again()
    finally:
        namespace[symbol] = before
