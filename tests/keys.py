"""Answer keys that several tests share: the public ones as they ship, hidden ones made once."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from autograder.exercises import DEFINITIONS
from autograder.exercises.draw import Draw
from autograder.exercises.keys import Answered, answer_all, make_key
from course_lib.checking.key import AnswerKey, public_key

DRAWS = {
    "public": Draw.public,
    "hidden": lambda exercise_id: Draw.hidden(b"a course's secret", "release", exercise_id),
}


@cache
def answers_of(exercise_id: str, draw: str) -> Answered:
    """What every registered implementation answers."""
    return answer_all(DEFINITIONS[exercise_id], DRAWS[draw](exercise_id))


@cache
def key_of(exercise_id: str, draw: str) -> AnswerKey:
    """The key of a draw. That the public one is as it would be made now, a test of its own says."""
    definition = DEFINITIONS[exercise_id]
    if draw == "public":  # without the course's policy, which takes a gate away
        return replace(public_key(exercise_id), exercise=definition.exercise)
    earlier = tuple(DEFINITIONS[name] for name in definition.exercise.builds_on)
    return make_key(definition, answers_of(exercise_id, draw), earlier)
