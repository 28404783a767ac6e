"""course_lib as released for a lesson: everything a student may have, and no component of that lesson or later."""

from __future__ import annotations

import ast
import errno
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from torch import nn

import course_lib
from autograder.exercises import DEFINITIONS
from autograder.exercises.public_keys import public_key_files
from course_lib.contents import CONTENTS, contents_text, public_exercises, public_lessons
from course_lib.course import Course
from course_lib.extensions import modules_of, public_names
from course_lib.stand_ins import Kind

PACKAGE = Path(course_lib.__file__).parent
COMPONENTS = "course_lib.components"

#: folders of the library that repeat, faster, what exercises ask for: they are handed out once these are over
REPEATS = {"real_text": {"greedy_decode", "beam_search", "cached_layer", "cached_decoder"}}

#: files of the library other than modules
_DATA = frozenset({".css", ".html", ".js", ".json", ".safetensors", ".typed"})

_STAND_IN = '''\
"""Yours, from {lesson}: that lesson still accepted work when this was released, so ours is not here."""

from course_lib.stand_ins import stand_in

'''


def release_library(course: Course, lesson: str, folder: Path, whole: bool = True) -> Path:
    """Write ``folder/course_lib`` as a student of ``lesson`` receives it, and return ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    put_in_place(library_files(course, lesson, whole), folder / "course_lib")
    return folder


def library_files(course: Course, lesson: str, whole: bool = True, own: Collection[str] = ()) -> dict[str, bytes]:
    """The library as a student of ``lesson`` receives it: each file's content, by its path in `course_lib`.

    Withheld is every component that an exercise of this lesson or a later one asks for, and every other component that
    imports such a one; what repeats them; answer keys of later lessons; and what the course's policy withholds of the
    others.

    Args:
        whole: whether a check at home excuses what follows from an earlier mistake, as grading does. In the sandbox a
            check counts for nothing, and that need not be worked out beforehand.
        own: earlier lessons whose components are withheld, too, with a stand-in for each: see `course_lib.stand_ins`.
    """
    files: dict[str, bytes] = {}
    withheld = withheld_components(lesson)
    stand_ins = {name: text for name, text in _stand_ins(own) if name not in withheld}
    for path in sorted(PACKAGE.rglob("*")):
        relative = path.relative_to(PACKAGE)
        if (
            path.is_dir()
            or not is_source(relative)
            or (relative.parts[0] == "components" and path.stem in withheld)
            or relative.parts[0] == "keys"
            or REPEATS.get(relative.parts[0], set()) & {*withheld, *stand_ins}
        ):
            continue
        files[relative.as_posix()] = path.read_bytes()
    added = {name: path for name, path in modules_of("components").items() if name not in withheld}
    files |= {f"components/{name}.py": path.read_bytes() for name, path in added.items()}
    files |= {f"components/{name}.py": text.encode() for name, text in stand_ins.items()}
    index = "components/__init__.py"
    files[index] = _index(files[index].decode(), withheld, added).encode()
    files[CONTENTS.name] = contents_text(public_lessons(), public_exercises()).encode()
    for definition in DEFINITIONS.values():
        if definition.exercise.lesson <= lesson:
            for name, content in public_key_files(definition.id, course, whole).items():
                files[f"keys/{definition.exercise.lesson}/{name}"] = content
    return files


def is_source(relative: Path) -> bool:
    """Whether a file of the library belongs to it: not a hidden one, nor what an editor or a merge keeps of another.

    Such a copy may hold a solution that was edited out of the file itself, under a name that isn't withheld.
    """
    hidden = any(part.startswith(".") or part == "__pycache__" for part in relative.parts)
    module = relative.suffix == ".py" and relative.stem.isidentifier()
    return not hidden and (module or (relative.suffix in _DATA and relative.parts[0] != "components"))


def put_in_place(files: Mapping[str, bytes], target: Path) -> None:
    """Write a folder beside ``target``, then rename it into place; what lay there before goes as a whole.

    Where somebody else puts the same files there at the same moment, one of the two folders stays.
    """
    with TemporaryDirectory(dir=target.parent, prefix=".", suffix=".part") as beside:
        new, old = Path(beside) / "new", Path(beside) / "old"
        new.mkdir()
        for name, content in files.items():
            path = new / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            path.chmod(0o644)  # a submission reads it as somebody else
        for folder in (new, *(path for path in new.rglob("*") if path.is_dir())):
            folder.chmod(0o755)
        with suppress(FileNotFoundError):
            target.rename(old)
        with suppress(FileExistsError), _already_there():
            new.rename(target)


@contextmanager
def _already_there() -> Iterator[None]:
    """Systems differ in the error for a folder that cannot be renamed over another."""
    try:
        yield
    except OSError as error:
        if error.errno != errno.ENOTEMPTY:
            raise
        raise FileExistsError from error


def withheld_components(lesson: str) -> set[str]:
    """The modules of `course_lib.components` that a student of ``lesson`` must not have."""
    withheld = {d.module.rsplit(".", 1)[1] for d in DEFINITIONS.values() if d.exercise.lesson >= lesson}
    components = (*PACKAGE.glob("components/[!_]*.py"), *modules_of("components").values())
    imports = {path.stem: set(_imported(path.read_text(encoding="utf-8"))) for path in components}
    while more := {name for name, needs in imports.items() if needs & withheld} - withheld:
        withheld |= more
    return withheld


def _stand_ins(lessons: Collection[str]) -> Iterator[tuple[str, str]]:
    """The modules of `course_lib.components` that lessons ask for, and what lies there in their place."""
    for module in sorted({d.module for d in DEFINITIONS.values() if d.exercise.lesson in lessons}):
        lesson = next(d.exercise.lesson for d in DEFINITIONS.values() if d.module == module)
        component = import_module(module)
        lines = [
            f'{name} = stand_in("{name}", "{lesson}", "{_kind(getattr(component, name))}")\n'
            for name in public_names(component)
        ]
        yield module.rsplit(".", 1)[1], _STAND_IN.format(lesson=lesson) + "".join(lines)


def _kind(component: Any) -> Kind:
    if not isinstance(component, type):
        return "function"
    return "layer" if issubclass(component, nn.Module) else "class"


def _imported(source: str) -> Iterator[str]:
    """The components a module imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{COMPONENTS}."):
            yield (node.module or "").rsplit(".", 1)[1]


def _index(index: str, withheld: set[str], added: Iterable[str]) -> str:
    """The package's index: its docstring, and an import for each component that is not withheld, of extensions, too."""
    about, *statements = ast.parse(index).body
    imports = [
        ast.unparse(node)
        for node in statements
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").startswith(f"{COMPONENTS}.")
        and (node.module or "").rsplit(".", 1)[1] not in withheld
    ]
    for name in added:
        module = import_module(f"{COMPONENTS}.{name}")
        imports += [f"from {COMPONENTS}.{name} import {symbol} as {symbol}" for symbol in public_names(module)]
    return "\n".join([ast.unparse(about), "", *imports]) + "\n"
