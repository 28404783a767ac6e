"""Find the code that an exercise's answer consists of: its definition, and all code of the student that it calls."""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec

from autograder.records.unpack import unknown_text
from course_lib.rebuilding.code import Code, code
from course_lib.rebuilding.statement import Statement

#: a name of a Python file in a string
_FILE = re.compile(r"([A-Za-z_]\w*)\.py\b")
#: what IPython defines
_OF_IPYTHON = ("display", "get_ipython", "In", "Out", "exit", "quit", "_")
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_MOST_CHANGED = 50  #: the most names whose objects one function may change. Nobody writes a function with that many


@dataclass(frozen=True)
class _Piece:
    """Code that belongs to an answer as a whole or not at all.

    Attributes:
        text: its text, without comments and layout if it is Python.
        binds: the names that it defines, or whose objects it changes.
        needs: the names that it uses.
    """

    text: str
    binds: frozenset[str]
    needs: frozenset[str]


class CalledCode:
    """The code of one notebook, from which the parts that an exercise runs are taken.

    Args:
        theirs: the sources of the student's cells.
        released: the sources of all other cells, which all notebooks of a lesson share. Each is parsed only once.
    """

    def __init__(self, theirs: Sequence[str], released: Iterable[str]) -> None:
        codes, given = [Code(source) for source in theirs], [code(source) for source in released]
        modules = {name for cell in (*codes, *given) for one in cell.statements for name in _imported(one)}
        writers = {name: found for cell in codes for one in cell.statements for name, found in _writer(one, modules)}
        # each call of a writer would keep all of its names
        changes = {name: found for name, found in writers.items() if len(found) <= _MOST_CHANGED}
        self._pieces = [piece for cell in codes for piece in _pieces(cell, modules, changes)]
        self._by_name: dict[str, list[_Piece]] = {}
        for piece in self._pieces:
            for name in piece.binds:
                self._by_name.setdefault(name, []).append(piece)
        self._known = {*self._by_name, *dir(builtins), *_OF_IPYTHON, *(name for cell in given for name in cell.binds)}
        self._all_of_it = len(changes) < len(writers) or any(unknown_text(cell.plain) for cell in codes)

    def of(self, symbol: str) -> Iterator[str]:
        """Yield the parts that define a name, directly or through what they call, in order.

        Yield all code if some of it runs strings that are put together, if a function changes very many objects, or if
        a name is used that nothing seems to define, because then nobody knows what is called.
        """
        found, names, taken = [symbol], {symbol}, set[int]()
        for name in found:
            for piece in self._by_name.get(name, ()):
                if id(piece) not in taken:
                    taken.add(id(piece))
                    found += sorted(piece.needs - names)
                    names |= piece.needs
        everything = self._all_of_it or bool(names - self._known - {symbol})
        yield from (piece.text for piece in self._pieces if everything or id(piece) in taken)


def _imported(statement: Statement) -> Iterable[str]:
    return statement.gives if isinstance(statement.node, ast.Import | ast.ImportFrom) else ()


def _writer(statement: Statement, modules: Collection[str]) -> Iterator[tuple[str, set[str]]]:
    """Yield a function or class that changes objects when it is called, and their names in it."""
    if isinstance(statement.node, _DEFINITIONS) and (found := _Uses(statement.node, modules, {}).changes):
        yield statement.node.name, found


def _pieces(code: Code, modules: Collection[str], writers: Mapping[str, set[str]]) -> list[_Piece]:
    """Return a cell's statements, or the whole cell if it is not Python or is written to a file."""
    if code.tree is None or code.source.startswith(("%%writefile", "%%file", "%%python", "%%script")):
        # what it needs is not known, and any of its words may be defined in it
        words = frozenset(re.findall(r"\w+", code.source))
        return [_Piece(code.source.strip(), words, frozenset())] if words else []
    return [_piece(statement, _Uses(statement.node, modules, writers)) for statement in code.statements]


def _piece(statement: Statement, uses: _Uses) -> _Piece:
    binds = statement.binds | uses.in_texts
    if not isinstance(statement.node, _DEFINITIONS):
        binds |= uses.changes
    return _Piece(_plain(statement.node), frozenset(binds), statement.needs | uses.modules_of_theirs)


def _plain(node: ast.stmt) -> str:
    """Return a statement without comments, docstrings and layout."""
    for inner in ast.walk(node):
        body = getattr(inner, "body", None)
        if isinstance(inner, _DEFINITIONS) and isinstance(body, list) and _is_text(body[0]):
            body[:] = body[1:] or [ast.Pass()]
    return ast.unparse(ast.fix_missing_locations(node))


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


@dataclass(frozen=True)
class _Uses:
    """What a statement does with names, apart from defining and using them.

    Attributes:
        modules: the names of modules, and of what is imported from them.
        writers: the student's functions that change objects, with the names of those objects in each.
    """

    node: ast.stmt
    modules: Collection[str]
    writers: Mapping[str, set[str]]

    @cached_property
    def _nodes(self) -> list[ast.AST]:
        return list(ast.walk(self.node))

    @cached_property
    def changes(self) -> set[str]:
        """The names whose objects it may change: by an assignment, a method, or a function that changes objects."""
        return {name for node in self._nodes for name in self._changed(node)} - set(self.modules)

    @cached_property
    def in_texts(self) -> set[str]:
        """The names that the code in its strings defines, and the modules whose files its strings name."""
        texts = [node.value for node in self._nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
        defined = {name for text in texts if "\n" in text or "=" in text for name in Code(text).gives}
        return defined | {name for text in texts for name in _FILE.findall(text)}

    @cached_property
    def modules_of_theirs(self) -> set[str]:
        """The modules that it imports and that aren't installed, so the student must have written them."""
        named = [alias.name for node in self._nodes if isinstance(node, ast.Import) for alias in node.names]
        named += [node.module or "" for node in self._nodes if isinstance(node, ast.ImportFrom) and not node.level]
        return {root for name in named if (root := name.partition(".")[0]) and not _is_installed(root)}

    def _changed(self, node: ast.AST) -> Iterator[str]:
        match node:
            case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
                yield from _root(node)
            case ast.Expr(value=ast.Call(func=ast.Attribute() as method)):  # such as ``table.append(f)``
                yield from _root(method)
            case ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[changed, *_]):
                yield from _root(changed)
            case ast.Call(func=ast.Name(id=name), args=arguments) if name in self.writers:
                yield from self.writers[name]
                yield from (root for argument in arguments for root in _root(argument))


def _root(node: ast.expr) -> Iterator[str]:
    """Yield the name with which an expression such as ``module.part`` begins."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id


def _is_installed(module: str) -> bool:
    if module in sys.stdlib_module_names or module in sys.modules:
        return True
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False
