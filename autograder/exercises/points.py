"""Apply the points of exercises from `course.toml`. Each check of an exercise keeps its share."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import cache

from course_lib.checking.exercise import Exercise
from course_lib.course import CourseError, course_here


@cache
def course_points() -> Mapping[str, float]:
    """Return the current course's, or this checkout's, own points by exercise id. Empty if it uses our points.

    Like extensions, they don't change during a process.
    """
    course = course_here()
    return course.exercise_points if course else {}


def require_known(points: Mapping[str, float], ids: Collection[str]) -> None:
    """Require that a course gives points only for exercises that exist.

    Raises:
        CourseError: the course names an exercise that does not exist.
    """
    for name in points:
        if name not in ids:
            from course_lib.suggestion import suggestion

            near = suggestion(name, ids)
            raise CourseError(
                f"course.toml: exercises.points names {name!r}, which is not an exercise of the course{near or '.'}"
            )


def worth(exercise: Exercise, points: float) -> Exercise:
    """Return an exercise with other points, divided among its checks in the same proportions."""
    checks = tuple(replace(check, points=check.points * points / exercise.points) for check in exercise.checks)
    return replace(exercise, points=points, checks=checks)
