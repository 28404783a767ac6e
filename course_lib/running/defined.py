"""Read the names that a cell defines from its source, without running it."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable

from course_lib.syntax import NOT_PYTHON, syntax_tree

#: characters of all cells together that are read for names; a lesson has 30,000
LONGEST = 100_000


class Every(Container[object]):
    """A set of all names, for a source that can't be read."""

    def __contains__(self, name: object) -> bool:
        return True


def names_in_each(sources: Iterable[str]) -> list[Container[object]]:
    """Return the names of each cell, or a set of all names for cells that would take long to read."""
    found, left = list[Container[object]](), LONGEST
    for source in sources:
        fits = len(source) <= left
        left -= len(source) if fits else 0
        found.append(names_in(source) if fits else Every())
    return found


def names_in(source: str) -> Container[object]:
    """Return the names that a cell's source assigns, defines or imports anywhere."""
    try:
        tree = syntax_tree(source)
    except NOT_PYTHON:  # such as IPython's %magic
        return Every()
    names: set[object] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.AsyncFunctionDef(name=name):
                names.add(name)
            case ast.Import(names=imported) | ast.ImportFrom(names=imported):
                if any(each.name == "*" for each in imported):
                    return Every()
                names |= {each.asname or each.name.partition(".")[0] for each in imported}
    return names
