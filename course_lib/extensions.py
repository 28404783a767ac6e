"""Extensions: folders with lessons and exercises of an instructor's own, which `course.toml` names.

They lie beside the course and are laid out like it: ``components/``, ``exercises/``, ``lessons/``. A checkout reads
them where they are. In a library that was released, what they hold lies among what is ours.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

from course_lib.course import CourseError, course_here, require_trusted


@cache
def extension_folders() -> tuple[Path, ...]:
    """Those of the course that one is in, or of this checkout: the same for as long as a process lives."""
    course = course_here()
    return course.extensions if course else ()


def modules_of(part: str) -> dict[str, Path]:
    """The files in that part of every extension, as ``"components"``, by the names of their modules.

    Raises:
        CourseError: two of them have one name, or one belongs to another user.
    """
    found: dict[str, Path] = {}
    for folder in extension_folders():
        for path in sorted((folder / part).glob("[!_]*.py")):
            require_trusted(path)
            if path.stem in found:
                raise CourseError(f"{path} and {found[path.stem]} have one name. Rename one of them.")
            found[path.stem] = path
    return found


def load_extensions(package: ModuleType, part: str) -> Iterator[ModuleType]:
    """Import what extensions add to a package: every file in that part of theirs.

    Raises:
        CourseError: one of them cannot be imported, or has the name of a module that is there.
    """
    there = {path.stem: Path(folder) / path.name for folder in package.__path__ for path in Path(folder).glob("*.py")}
    added = modules_of(part)
    for name, path in added.items():
        if name in there:
            raise CourseError(f"{path} has the name of {there[name]}. Rename it.")
    package.__path__ += dict.fromkeys(str(path.parent) for path in added.values())
    for name, path in added.items():
        try:
            yield importlib.import_module(f"{package.__name__}.{name}")
        except CourseError:
            raise
        except Exception as error:  # whatever an instructor's file does
            raise CourseError(f"{path} cannot be used: {type(error).__name__}: {error}.") from error


def add_components(package: ModuleType) -> None:
    """Let `course_lib.components` have the functions and classes of extensions, too.

    Raises:
        CourseError: one has a name that is taken.
    """
    for module in load_extensions(package, "components"):
        for symbol in public_names(module):
            if hasattr(package, symbol) and not isinstance(getattr(package, symbol), ModuleType):
                raise CourseError(f"{module.__file__} defines {symbol}, which the course has already. Rename it.")
            setattr(package, symbol, getattr(module, symbol))


def public_names(module: ModuleType) -> list[str]:
    """The functions and classes that a module defines for others."""
    return [
        name
        for name, value in vars(module).items()
        if (inspect.isfunction(value) or inspect.isclass(value))
        and value.__module__ == module.__name__
        and not name.startswith("_")
    ]
