"""Grade one implementation in this process, for experiments and for code that is trusted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from autograder.exercises import DEFINITIONS
from autograder.exercises.answer_keys import make_key
from autograder.exercises.sampler import Sampler
from course_lib.checking.answer_key import AnswerKey
from course_lib.checking.ask import ask
from course_lib.checking.card import make_card
from course_lib.checking.judge import judge
from course_lib.version import __version__


@dataclass(frozen=True)
class Report:
    """The result of grading an implementation.

    Attributes:
        score: a number from 0 to max_score.
        checks: whether each check holds, by its name.
        misconception: the name of the mistake that gives exactly the same answers, if there is one.
        message: the card as text.
    """

    score: float
    max_score: float
    checks: Mapping[str, bool]
    misconception: str | None
    message: str


def exercise_ids() -> tuple[str, ...]:
    """Return the ids of all exercises, in the order of the course."""
    return tuple(DEFINITIONS)


def grade(exercise_id: str, implementation: Any) -> Report:
    """Grade a function or class on questions other than the public ones.

    The code runs in this process, with its permissions and without a time limit. Grade submissions with
    ``course grade`` instead.

    Raises:
        KeyError: there is no such exercise.
    """
    key = _key(exercise_id)
    answers = ask(key.questions, implementation)
    verdict = judge(key, answers)
    checks = {check_result.check.name: check_result.holds for check_result in verdict.check_results}
    message = make_card(verdict, key, answers, hint=0).text
    return Report(verdict.score, verdict.max_score, checks, verdict.misconception, message)


@cache
def _key(exercise_id: str) -> AnswerKey:
    if exercise_id not in DEFINITIONS:
        raise KeyError(f"no exercise is called {exercise_id!r}; there are: {', '.join(DEFINITIONS)}")
    return make_key(DEFINITIONS[exercise_id], Sampler.hidden(b"graded in process", __version__, exercise_id))
