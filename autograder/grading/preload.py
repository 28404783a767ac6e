"""Find the modules of `course_lib` that a lesson's set-up imports, so that each sandbox imports them only once."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

from course_lib.rebuilding.code import code


def modules_imported(sources: Iterable[str], library: Path) -> tuple[str, ...]:
    """Return the modules of `course_lib` that cells import by name, in the order of their imports.

    Args:
        sources: the code of the released notebook's set-up cells.
        library: the folder that contains `course_lib`. A module that it doesn't contain is left out.
    """
    trees = filter(None, (code(source).tree for source in sources))
    names = (name for tree in trees for name in _names(tree))
    return tuple(dict.fromkeys(name for name in names if _is_module(library, name)))


def _names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{each.name}" for each in node.names)


def _is_module(library: Path, name: str) -> bool:
    path = library.joinpath(*name.split("."))
    return name.startswith("course_lib.") and (path.with_suffix(".py").is_file() or (path / "__init__.py").is_file())
