"""Exercises of an instructor's own: the folders in ``exercises/`` of each folder that `course.toml` names."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from course_lib.extensions import import_extension


def imported(path: Path) -> ModuleType:
    """Import an exercise's file `exercise.py`.

    Raises:
        CourseError: it cannot be imported.
    """
    folder = path.parent
    if str(folder.parent) not in __path__:
        __path__.append(str(folder.parent))
    return import_extension(f"{__name__}.{folder.name}.{path.stem}", path)
