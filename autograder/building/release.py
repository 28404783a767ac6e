"""course_lib as released for a lesson: everything a student may have, and no component of that lesson or later."""

from __future__ import annotations

import ast
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import course_lib
from autograder.exercises import DEFINITIONS
from autograder.exercises.public import public_key
from course_lib.checking.key import save_key
from course_lib.course import Course

PACKAGE = Path(course_lib.__file__).parent


def release_library(course: Course, lesson: str, folder: Path, whole: bool = True) -> Path:
    """Write ``folder/course_lib`` as a student of ``lesson`` receives it, and return ``folder``.

    Withheld is every component that an exercise of this lesson or a later one asks for, and every other component that
    imports such a one; answer keys of later lessons; and what the course's policy withholds of the others.

    Args:
        whole: whether a check at home excuses what follows from an earlier mistake, as grading does. In the sandbox a
            check counts for nothing, and that need not be worked out beforehand.
    """
    target = folder / "course_lib"
    shutil.rmtree(target, ignore_errors=True)
    withheld = withheld_components(lesson)
    for path in sorted(PACKAGE.rglob("*")):
        relative = path.relative_to(PACKAGE)
        if (
            path.is_dir()
            or "__pycache__" in relative.parts
            or (relative.parts[0] == "components" and path.stem in withheld)
            or relative.parts[0] == "keys"
        ):
            continue
        (target / relative).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target / relative)
    index = target / "components" / "__init__.py"
    index.write_text(_without(index.read_text(encoding="utf-8"), withheld), encoding="utf-8")
    for definition in DEFINITIONS.values():
        if definition.exercise.lesson <= lesson:
            key = public_key(definition.id, course, whole)
            save_key(key if whole else replace(key, carried={}), target / "keys" / definition.exercise.lesson)
    return folder


def withheld_components(lesson: str) -> set[str]:
    """The modules of `course_lib.components` that a student of ``lesson`` must not have."""
    withheld = {d.module.rsplit(".", 1)[1] for d in DEFINITIONS.values() if d.exercise.lesson >= lesson}
    imports = {
        path.stem: set(_imported(path.read_text(encoding="utf-8"))) for path in PACKAGE.glob("components/[!_]*.py")
    }
    while more := {name for name, needs in imports.items() if needs & withheld} - withheld:
        withheld |= more
    return withheld


def _imported(source: str) -> Iterator[str]:
    """The components a module imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("course_lib.components."):
            yield (node.module or "").rsplit(".", 1)[1]


def _without(index: str, withheld: set[str]) -> str:
    """The package's index without the imports of what is withheld."""
    drop: set[int] = set()
    for node in ast.parse(index).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").rsplit(".", 1)[-1] in withheld:
            drop |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return "".join(line for number, line in enumerate(index.splitlines(True), 1) if number not in drop)
