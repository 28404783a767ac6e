"""Find the file that defines each component, and import it when the component is first used.

A component and its file often have the same name. `course_lib.components.softmax` is always the function. Its module is
in `sys.modules`, and ``from course_lib.components.softmax import softmax`` imports from it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from course_lib.course import CourseError, require_trusted
from course_lib.extensions import extension_folders, import_extension

FOLDER = Path(__file__).parent / "components"

#: a definition of a public function or class, or a stand-in for one, see `course_lib.stand_ins`
_DEFINITION = re.compile(r"^(?:(?:def|class) ([a-zA-Z]\w*)|([a-zA-Z]\w*) = stand_in\()", re.MULTILINE)


@cache
def component_modules() -> Mapping[str, Path]:
    """Return every file of components, of the course and of its extensions, by the name of its module.

    Raises:
        CourseError: two files have the same name, or an extension's file belongs to another user.
    """
    modules: dict[str, Path] = {}
    for folder in (FOLDER, *_extensions()):
        for path in sorted(folder.glob("[!_]*.py")):
            if folder != FOLDER:
                require_trusted(path)
            if not path.stem.isidentifier():  # a copy that an editor left
                continue
            if path.stem in modules:
                raise CourseError(f"{path} and {modules[path.stem]} have the same name. Rename one of them.")
            modules[path.stem] = path
    return modules


@cache
def component_files() -> Mapping[str, Path]:
    """Return the file of each component, without importing any.

    Raises:
        CourseError: two files define the same component, or see `component_modules`.
    """
    files: dict[str, Path] = {}
    for path in component_modules().values():
        for match in _DEFINITION.finditer(path.read_text(encoding="utf-8")):
            name = match[1] or match[2]
            if (other := files.setdefault(name, path)) != path:
                raise CourseError(f"{path} defines {name}, which {other} already defines. Rename it.")
    return files


def import_on_demand(package: str) -> None:
    """Let a package import each component when it is first used."""
    module = sys.modules[package]
    module.__path__ += map(str, _extensions())
    module.__dict__["__all__"] = sorted(component_files())
    module.__class__ = _OnDemand


class _OnDemand(ModuleType):
    """A package whose attributes are components, each imported when it is first used."""

    def __getattr__(self, name: str) -> Any:
        """Import a component."""
        path = component_files().get(name)
        if path is None:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        module = f"{self.__name__}.{path.stem}"
        imported = import_module(module) if path.parent == FOLDER else import_extension(module, path)
        setattr(self, name, getattr(imported, name))
        return vars(self)[name]

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute. If Python sets a module that was imported, prefer the component with its name."""
        if isinstance(value, ModuleType):
            value = getattr(value, name, value)
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        """List all components, whether they are imported or not."""
        return sorted({*super().__dir__(), *component_files()})


def _extensions() -> list[Path]:
    return [folder / "components" for folder in extension_folders()]
