"""Answer keys that several tests share, made once: every registered implementation answers in each draw."""

from __future__ import annotations

from functools import cache

from autograder.exercises import DEFINITIONS
from autograder.exercises.draw import Draw
from autograder.exercises.keys import Answered, answer_all, make_key
from course_lib.checking.key import AnswerKey

DRAWS = {
    "public": Draw.public,
    "hidden": lambda exercise_id: Draw.hidden(b"a course's secret", "release", exercise_id),
}


@cache
def answers_of(exercise_id: str, draw: str) -> Answered:
    return answer_all(DEFINITIONS[exercise_id], DRAWS[draw](exercise_id))


@cache
def key_of(exercise_id: str, draw: str) -> AnswerKey:
    definition = DEFINITIONS[exercise_id]
    earlier = tuple(DEFINITIONS[name] for name in definition.exercise.builds_on)
    return make_key(definition, answers_of(exercise_id, draw), earlier)
