"""Extensions: folders with lessons and exercises of an instructor's own, which `course.toml` names.

They are laid out like the course: ``components/``, ``exercises/``, ``lessons/``. A checkout reads them in place.
A released library contains copies of their files among its own.
"""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path
from types import ModuleType

from course_lib.course import CourseError, course_here

_KEYS = Path(__file__).parent / "keys"  #: only a released library has this folder


@cache
def extension_folders() -> tuple[Path, ...]:
    """Return the folders of the current course or of this checkout, once per process. A released library has none."""
    course = None if _KEYS.is_dir() else course_here()
    return course.extensions if course else ()


def import_extension(module: str, path: Path) -> ModuleType:
    """Import a module of an extension.

    Args:
        path: its file, to name in the error.

    Raises:
        CourseError: it cannot be imported.
    """
    try:
        return importlib.import_module(module)
    except CourseError:
        raise
    except Exception as error:  # an instructor's file may raise anything
        raise CourseError(f"{path} cannot be used: {type(error).__name__}: {error}.") from error
