"""Every exercise of the course, by id, in the order of lessons."""

from autograder.exercises import (
    lesson_00,
    lesson_01,
    lesson_02,
    lesson_03,
    lesson_04,
    lesson_05,
    lesson_06,
    lesson_07,
    lesson_08,
    lesson_09,
    lesson_10,
    lesson_11,
    lesson_12,
    lesson_14,
)
from autograder.exercises.definition import Definition

DEFINITIONS: dict[str, Definition] = {
    definition.id: definition
    for definition in (
        *lesson_00.EXERCISES,
        *lesson_01.EXERCISES,
        *lesson_02.EXERCISES,
        *lesson_03.EXERCISES,
        *lesson_04.EXERCISES,
        *lesson_05.EXERCISES,
        *lesson_06.EXERCISES,
        *lesson_07.EXERCISES,
        *lesson_08.EXERCISES,
        *lesson_09.EXERCISES,
        *lesson_10.EXERCISES,
        *lesson_11.EXERCISES,
        *lesson_12.EXERCISES,
        *lesson_14.EXERCISES,
    )
}


def of_lesson(lesson: str) -> tuple[Definition, ...]:
    """A lesson's exercises in order."""
    return tuple(d for d in DEFINITIONS.values() if d.exercise.lesson == lesson)
