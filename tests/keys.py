"""Answers and answer keys that several tests share, made once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial

from autograder.authoring.gate import Tried
from autograder.exercises import DEFINITIONS
from autograder.exercises.answer_keys import Answered, fair_draw, key_of_answers
from autograder.exercises.draw import Draw
from course_lib.checking.answer_key import AnswerKey
from course_lib.checking.dependencies import Earlier
from course_lib.checking.judge import Verdict
from course_lib.checking.naming import Naming

SEEDS = {
    "public": Draw.public,
    "hidden": partial(Draw.hidden, b"a course's secret", "release"),
}


@cache
def _fair(draw: str, exercise_id: str) -> tuple[Draw, Answered]:
    return fair_draw(DEFINITIONS[exercise_id], SEEDS[draw](exercise_id))


def drawn(draw: str, exercise_id: str) -> Draw:
    """What is asked: hidden, what a course with this secret would grade by."""
    return _fair(draw, exercise_id)[0]


DRAWS = {draw: partial(drawn, draw) for draw in SEEDS}


def answers_of(exercise_id: str, draw: str) -> Answered:
    """What every registered implementation answers."""
    return _fair(draw, exercise_id)[1]


@cache
def key_of(exercise_id: str, draw: str) -> AnswerKey:
    """The key of a draw."""
    return key_of_answers(answers_of(exercise_id, draw))


@cache
def verdict_of(exercise_id: str, name: str, draw: str) -> Verdict:
    """What a registered implementation gets, or two mistakes at once."""
    return Tried(key_of(exercise_id, draw), answers_of(exercise_id, draw)).verdict(name)


def wrong_before(mistakes: Mapping[str, str]) -> Earlier:
    """Return the verdicts on earlier exercises with these mistakes, as `judge` takes them."""
    return {name: Verdict(name, 0.0, 1.0, (), Naming(mistake)) for name, mistake in mistakes.items()}.get
