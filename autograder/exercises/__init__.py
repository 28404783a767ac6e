"""Every exercise of the course, by id, in the order of lessons."""

import itertools
from pathlib import Path

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
    lesson_13,
    lesson_14,
)
from autograder.exercises.definition import Definition
from autograder.exercises.extensions import extended
from autograder.exercises.points import course_points, with_points

OURS: tuple[Definition, ...] = (
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
    *lesson_13.EXERCISES,
    *lesson_14.EXERCISES,
)

#: the exercises of extensions, by the folder that each lies in
EXTENSIONS = extended(OURS)

#: all of them, worth what the course gives for them: whoever builds, asks or judges knows an exercise from here
DEFINITIONS: dict[str, Definition] = {
    definition.id: definition
    for definition in sorted(
        with_points((*OURS, *itertools.chain(*EXTENSIONS.values())), course_points()), key=lambda d: d.exercise.lesson
    )
}


def extension_of(exercise_id: str) -> Path | None:
    """The folder of the extension that an exercise lies in; None of ours."""
    return next((folder for folder, own in EXTENSIONS.items() if exercise_id in {d.id for d in own}), None)


def of_lesson(lesson: str) -> tuple[Definition, ...]:
    """A lesson's exercises in order."""
    return tuple(
        sorted((d for d in DEFINITIONS.values() if d.exercise.lesson == lesson), key=lambda d: d.exercise.place)
    )
