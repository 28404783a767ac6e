"""Read the definition of an exercise from its folder."""

from __future__ import annotations

import importlib
from dataclasses import replace
from pathlib import Path

from autograder.exercises import extensions
from autograder.exercises.definition import Definition, Outline, described
from autograder.exercises.points import course_points, worth
from course_lib.course import CourseError, require_trusted


def read_definition(folder: Path, lesson: str, place: int, is_extension: bool) -> Definition:
    """Return the exercise in a folder, with the course's points.

    Args:
        lesson: the lesson with its cell.
        place: its place among the exercises of that lesson.
        is_extension: whether it belongs to an extension.

    Raises:
        CourseError: the definition is invalid, or a file belongs to another user.
    """
    id = folder.name
    definition = described(id, lesson, place, _outline(folder, is_extension), folder)
    points = course_points().get(id)
    return replace(definition, exercise=worth(definition.exercise, points)) if points else definition


def _outline(folder: Path, is_extension: bool) -> Outline:
    path = folder / "exercise.py"
    if is_extension:
        for file in sorted(folder.glob("*.*")):
            require_trusted(file)
        module = extensions.imported(path)
    else:
        module = importlib.import_module(f"{__package__}.{folder.parent.name}.{folder.name}.exercise")
    outline = getattr(module, "EXERCISE", None)
    if not isinstance(outline, Outline):
        raise CourseError(f"{path} defines no exercise. It ends with: EXERCISE = Outline(minutes=…, …).")
    return outline
