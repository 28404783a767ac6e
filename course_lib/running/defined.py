"""The names that a cell defines, read from its source: nothing of it is run."""

from __future__ import annotations

import ast
from collections.abc import Container


class Every(Container[object]):
    """All names: of a source that cannot be read, who knows."""

    def __contains__(self, name: object) -> bool:
        return True


def names_in(source: str) -> Container[object]:
    """The names that a cell's source assigns, defines or imports, wherever in it."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # IPython's %magic, for one
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
