"""A top-level statement of a cell: the names that it binds and needs, and the dependencies that follow."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from course_lib.source_names import bound_names, free_names


@dataclass(frozen=True)
class Statement:
    """A top-level statement of a cell."""

    node: ast.stmt
    source: str

    @property
    def names(self) -> int:
        """The number of names that the statement binds and needs."""
        return len(self.binds) + len(self.needs)

    @cached_property
    def gives(self) -> frozenset[str]:
        """The names that the statement defines, assigns or imports."""
        return frozenset(_given(self.node))

    @cached_property
    def binds(self) -> frozenset[str]:
        """The names in `gives`, and those whose objects it changes, as ``Layer.forward = forward`` does."""
        try:
            return self.gives | bound_names(self.source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return self.gives

    @cached_property
    def needs(self) -> frozenset[str]:
        """The names that must be defined before, either when the statement runs or when its function is called."""
        try:
            needed = set(free_names(self.source))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return frozenset()
        return frozenset(needed | (_at_once(self.node) & self.gives))


def source_of(node: ast.stmt, lines: Sequence[bytes]) -> str:
    """Return the source of a statement without other statements on the same lines. Columns count bytes."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    first, last = min([node.lineno, *(each.lineno for each in decorators)]), node.end_lineno or node.lineno
    own = list(lines[first - 1 : last])
    own[-1] = own[-1][: node.end_col_offset]
    if not decorators:
        own[0] = own[0][node.col_offset :]
    return b"\n".join(own).decode()


def reachable(
    symbol: str, binding: Mapping[str, Sequence[Statement]], needs: Callable[[Statement], Collection[str]]
) -> list[str]:
    """Return a name and all names that its definition needs, directly or indirectly, in the order of discovery.

    Args:
        binding: the statements that bind each name.
        needs: returns the names that a statement needs; it is called once for each statement.
    """
    found, names, seen = [symbol], {symbol}, set[int]()
    for name in found:
        for statement in binding.get(name, ()):
            if id(statement) not in seen:  # a statement that binds several names comes up several times
                seen.add(id(statement))
                new = sorted(set(needs(statement)) - names)
                names.update(new)
                found += new
    return found


def by_name(statements: Iterable[Statement]) -> dict[str, list[Statement]]:
    """Map each name to the statements that bind it."""
    binding: dict[str, list[Statement]] = {}
    for statement in statements:
        for name in statement.binds:
            binding.setdefault(name, []).append(statement)
    return binding


def _at_once(node: ast.stmt) -> set[str]:
    """Return the names that a statement uses before it binds its own, as in ``class Layer(Layer)``."""
    at_once: list[ast.AST] = []
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        at_once = [*node.decorator_list, *(node.bases if isinstance(node, ast.ClassDef) else ())]
    elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
        at_once = [node.value]
    elif isinstance(node, ast.AugAssign):
        at_once = [node.target]
    return {each.id for part in at_once for each in ast.walk(part) if isinstance(each, ast.Name)}


def _given(node: ast.stmt) -> Iterator[str]:
    for inner in _in_same_scope(node):
        match inner:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Import(names=imported) | ast.ImportFrom(names=imported):
                yield from (each.asname or each.name.partition(".")[0] for each in imported)
            case ast.Name(id=name, ctx=ast.Store()):
                yield name


def _in_same_scope(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a statement's nodes, without the bodies of functions, classes and comprehensions."""
    scopes = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda
    left = [node]
    while left:
        inner = left.pop()
        yield inner
        if not isinstance(inner, scopes | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            left += ast.iter_child_nodes(inner)
