"""Release `course_lib` for a lesson: all that students may have, and no component of this or a later lesson."""

from __future__ import annotations

import ast
import errno
import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from torch import nn

import course_lib
from autograder.exercises import DEFINITIONS
from autograder.exercises.definition import component
from autograder.exercises.public_keys import public_key_files
from course_lib import components
from course_lib.component_files import FOLDER, component_files, component_modules
from course_lib.contents import CONTENTS, contents_text, public_exercises, public_lessons
from course_lib.course import Course
from course_lib.stand_ins import FILE as STAND_INS
from course_lib.stand_ins import Kind

PACKAGE = Path(course_lib.__file__).parent
COMPONENTS = "course_lib.components"

#: folders of the library with faster versions of what exercises ask for, released only after those exercises
REPEATS = {"real_text": {"greedy_decode", "beam_search", "cached_layer", "cached_decoder"}}

#: files of the library other than modules
_DATA = frozenset({".css", ".html", ".js", ".json", ".safetensors", ".typed"})

_STAND_IN = '''\
"""Yours: the lesson that asks for it still accepted work when this was released, so ours is not here."""

from course_lib.stand_ins import stand_in

'''


def release_library(course: Course, lesson: str, folder: Path, whole: bool = True) -> Path:
    """Write ``folder/course_lib`` as a student of ``lesson`` receives it, and return ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    put_in_place(library_files(course, lesson, whole), folder / "course_lib")
    return folder


def library_files(course: Course, lesson: str, whole: bool = True, own: Collection[str] = ()) -> dict[str, bytes]:
    """Return the library as a student of ``lesson`` receives it: each file's content, by its path in `course_lib`.

    Withhold every component that an exercise of this lesson or a later one asks for, every other component that imports
    one of these, faster versions of them, and the answer keys of later lessons. Of the other keys, withhold what the
    course's policy withholds.

    Args:
        whole: whether a check at home excuses what follows from an earlier mistake, as grading does. A check in the
            sandbox does not affect points, so this need not be computed for it.
        own: earlier lessons whose components are replaced by stand-ins, see `course_lib.stand_ins`.
    """
    files: dict[str, bytes] = {}
    withheld = withheld_components(lesson)
    stand_ins = {symbol: of for symbol, of in _lessons().items() if of in own and _module(symbol) not in withheld}
    for path in sorted(PACKAGE.rglob("*")):
        relative = path.relative_to(PACKAGE)
        if (
            path.is_dir()
            or not is_source(relative)
            or (relative.parts[0] == "components" and path.stem != "__init__")
            or relative.parts[0] == "keys"
            or REPEATS.get(relative.parts[0], set()) & {*withheld, *map(_module, stand_ins)}
        ):
            continue
        files[relative.as_posix()] = path.read_bytes()
    for name, path in component_modules().items():
        if name not in withheld:
            files[f"components/{name}.py"] = path.read_bytes()
    for name in map(_module, stand_ins):
        files[f"components/{name}.py"] = _stand_ins(name).encode()
    files[STAND_INS.name] = json.dumps(stand_ins, indent=1).encode()
    files["components/__init__.pyi"] = component_stub(withheld).encode()
    files[CONTENTS.name] = contents_text(public_lessons(), public_exercises()).encode()
    for id in DEFINITIONS:
        if (asked_in := DEFINITIONS.lesson(id)) <= lesson:
            for name, content in public_key_files(id, course, whole).items():
                files[f"keys/{asked_in}/{name}"] = content
    return files


def is_source(relative: Path) -> bool:
    """Return whether a file belongs to the library, unlike hidden files and the copies that editors and merges leave.

    Such a copy may contain a solution that was removed from the file itself, under a name that isn't withheld.
    """
    hidden = any(part.startswith(".") or part == "__pycache__" for part in relative.parts)
    module = relative.suffix in (".py", ".pyi") and relative.stem.isidentifier()
    return not hidden and (module or (relative.suffix in _DATA and relative.parts[0] != "components"))


def put_in_place(files: Mapping[str, bytes], target: Path) -> None:
    """Write a folder next to ``target``, then rename it, so that it replaces an earlier folder as a whole.

    If another process puts the same files there at the same moment, one of the two folders stays.
    """
    with TemporaryDirectory(dir=target.parent, prefix=".", suffix=".part") as beside:
        new, old = Path(beside) / "new", Path(beside) / "old"
        new.mkdir()
        for name, content in files.items():
            path = new / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            path.chmod(0o644)  # a submission reads it as another user
        for folder in (new, *(path for path in new.rglob("*") if path.is_dir())):
            folder.chmod(0o755)
        with suppress(FileNotFoundError):
            target.rename(old)
        with suppress(FileExistsError), _already_there():
            new.rename(target)


@contextmanager
def _already_there() -> Iterator[None]:
    """Ignore the error for renaming a folder onto an existing one, which differs between systems."""
    try:
        yield
    except OSError as error:
        if error.errno != errno.ENOTEMPTY:
            raise
        raise FileExistsError from error


def withheld_components(lesson: str) -> set[str]:
    """Return the modules of `course_lib.components` that a student of ``lesson`` must not have."""
    withheld = {component(id)[0].rsplit(".", 1)[1] for id in DEFINITIONS if DEFINITIONS.lesson(id) >= lesson}
    imports = {name: set(_imported(path.read_text(encoding="utf-8"))) for name, path in component_modules().items()}
    while more := {name for name, needs in imports.items() if needs & withheld} - withheld:
        withheld |= more
    return withheld


def _module(symbol: str) -> str:
    return component_files()[symbol].stem


def _symbols(module: str) -> list[str]:
    return [symbol for symbol, path in component_files().items() if path.stem == module]


def _lessons() -> dict[str, str]:
    """Map every component in a file that an exercise asks for to the first lesson that asks for it."""
    lesson_of = {component(id)[0]: DEFINITIONS.lesson(id) for id in reversed(list(DEFINITIONS))}
    modules = {module.rpartition(".")[2]: lesson for module, lesson in sorted(lesson_of.items())}
    return {symbol: lesson for module, lesson in modules.items() for symbol in _symbols(module)}


def _stand_ins(module: str) -> str:
    """Return the source of a module of `course_lib.components` in a release that has only stand-ins for it."""
    kinds = {symbol: _kind(getattr(components, symbol)) for symbol in _symbols(module)}
    lines = (f'{symbol} = stand_in("{symbol}", "{kind}")\n' for symbol, kind in kinds.items())
    return _STAND_IN + "".join(lines)


def _kind(component: Any) -> Kind:
    if not isinstance(component, type):
        return "function"
    return "layer" if issubclass(component, nn.Module) else "class"


def _imported(source: str) -> Iterator[str]:
    """Yield the components that a module imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{COMPONENTS}."):
            yield (node.module or "").rsplit(".", 1)[1]


def component_stub(withheld: Collection[str] = (), extensions: bool = True) -> str:
    """Return the stub of `course_lib.components`: for type checkers, imports of everything in files not withheld.

    Args:
        extensions: whether to list the components of extensions, too.
    """
    files = sorted(
        (path.stem, symbol)
        for symbol, path in component_files().items()
        if path.stem not in withheld and (extensions or path.parent == FOLDER)
    )
    return "".join(f"from {COMPONENTS}.{module} import {symbol} as {symbol}\n" for module, symbol in files)
