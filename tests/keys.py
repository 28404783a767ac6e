"""Answers and answer keys that several tests share, made once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial

from autograder.authoring.gate import Tried
from autograder.exercises import DEFINITIONS
from autograder.exercises.answer_keys import Answered, fair_sampler, key_of_answers
from autograder.exercises.sampler import Sampler
from course_lib.checking.answer_key import AnswerKey
from course_lib.checking.dependencies import Earlier
from course_lib.checking.judge import Verdict
from course_lib.checking.naming import Naming

SEEDS = {
    "public": Sampler.public,
    "hidden": partial(Sampler.hidden, b"a course's secret", "release"),
}


@cache
def _fair(sampler: str, exercise_id: str) -> tuple[Sampler, Answered]:
    return fair_sampler(DEFINITIONS[exercise_id], SEEDS[sampler](exercise_id))


def drawn(sampler: str, exercise_id: str) -> Sampler:
    """What is asked: hidden, what a course with this secret would grade by."""
    return _fair(sampler, exercise_id)[0]


SAMPLERS = {sampler: partial(drawn, sampler) for sampler in SEEDS}


def answers_of(exercise_id: str, sampler: str) -> Answered:
    """What every registered implementation answers."""
    return _fair(sampler, exercise_id)[1]


@cache
def key_of(exercise_id: str, sampler: str) -> AnswerKey:
    """The key of a draw."""
    return key_of_answers(answers_of(exercise_id, sampler))


@cache
def verdict_of(exercise_id: str, name: str, sampler: str) -> Verdict:
    """What a registered implementation gets, or two mistakes at once."""
    return Tried(key_of(exercise_id, sampler), answers_of(exercise_id, sampler)).verdict(name)


def wrong_before(mistakes: Mapping[str, str]) -> Earlier:
    """Return the verdicts on earlier exercises with these mistakes, as `judge` takes them."""
    return {name: Verdict(name, 0.0, 1.0, (), Naming(mistake)) for name, mistake in mistakes.items()}.get
