"""Exercises of an instructor's own: the files in ``exercises/`` of the folders that `course.toml` names."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from autograder.exercises.definition import Definition
from course_lib.course import CourseError
from course_lib.extensions import extension_folders, load_extensions


def extended(ours: Iterable[Definition]) -> dict[Path, tuple[Definition, ...]]:
    """The exercises of every extension, by its folder.

    Raises:
        CourseError: a file cannot be used, holds no exercise, or one whose id is taken.
    """
    taken = {definition.id: "the course" for definition in ours}
    found: dict[Path, list[Definition]] = {folder: [] for folder in extension_folders()}
    for module in load_extensions(sys.modules[__name__], "exercises"):
        path = Path(module.__file__ or "")
        named = (value for value in vars(module).values() if isinstance(value, Definition))
        here = [definition for definition in named if definition.ask.__module__ == module.__name__]
        if not here:
            raise CourseError(f"{path} defines no exercise. It ends with: NAME = define(id=…, …).")
        for definition in here:
            if definition.id in taken:
                raise CourseError(f"{path}: {taken[definition.id]} has an exercise {definition.id!r}, too. Rename one.")
            taken[definition.id] = str(path)
            found[path.parent.parent].append(definition)
    return {folder: tuple(definitions) for folder, definitions in found.items()}
