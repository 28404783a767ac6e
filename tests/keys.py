"""Answers and answer keys that several tests share, made once."""

from __future__ import annotations

from functools import cache

from autograder.exercises import DEFINITIONS
from autograder.exercises.draw import Draw
from autograder.exercises.keys import Answered, answer_all, fair_draw, key_of_answers
from course_lib.checking.key import AnswerKey


@cache
def hidden_draw(exercise_id: str) -> Draw:
    """What a course with this secret would grade by."""
    return fair_draw(DEFINITIONS[exercise_id], Draw.hidden(b"a course's secret", "release", exercise_id))


DRAWS = {"public": Draw.public, "hidden": hidden_draw}


@cache
def answers_of(exercise_id: str, draw: str) -> Answered:
    """What every registered implementation answers."""
    return answer_all(DEFINITIONS[exercise_id], DRAWS[draw](exercise_id))


@cache
def key_of(exercise_id: str, draw: str) -> AnswerKey:
    """The key of a draw."""
    return key_of_answers(DEFINITIONS[exercise_id], answers_of(exercise_id, draw))
