"""Points of exercises as `course.toml` has them: each law of an exercise keeps its share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache

from autograder.exercises.definition import Definition
from course_lib.checking.exercise import Exercise
from course_lib.course import CourseError, course_here
from course_lib.suggestion import suggestion


@cache
def course_points() -> Mapping[str, float]:
    """What the course that one is in, or this checkout, gives for exercises, by their ids: empty where it gives ours.

    The same for as long as a process lives, as extensions are.
    """
    course = course_here()
    return course.exercise_points if course else {}


def with_points(definitions: Iterable[Definition], points: Mapping[str, float]) -> list[Definition]:
    """Definitions, with other points where a course gives them.

    Raises:
        CourseError: it gives points for what is no exercise.
    """
    there = {definition.id: definition for definition in definitions}
    for name in points:
        if name not in there:
            near = suggestion(name, there)
            raise CourseError(
                f"course.toml: exercises.points names {name!r}, which is no exercise of the course{near or '.'}"
            )
    return [
        replace(one, exercise=_worth(one.exercise, points[one.id])) if one.id in points else one
        for one in there.values()
    ]


def _worth(exercise: Exercise, points: float) -> Exercise:
    laws = tuple(replace(law, points=law.points * points / exercise.points) for law in exercise.laws)
    return replace(exercise, points=points, laws=laws)
