"""Which names a piece of source binds, and which it needs from elsewhere."""

from __future__ import annotations

import ast
import builtins
import symtable
from collections.abc import Iterator

from course_lib.syntax import symbol_table, syntax_tree


def free_names(source: str) -> list[str]:
    """The names a piece of source needs from before it: global, not its own, not Python's."""
    table = symbol_table(source)
    found = {
        symbol.get_name()
        for scope in _scopes(table)
        for symbol in scope.get_symbols()
        if symbol.is_global() or (scope is table and symbol.is_referenced())
    }
    own = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    own |= {scope.get_name() for scope in table.get_children()}
    return sorted(name for name in found - own if not hasattr(builtins, name))


def bound_names(source: str) -> set[str]:
    """The names a piece of source gives a meaning at its top level, or whose object it changes by assigning into it."""
    table = symbol_table(source)
    found = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    for statement in syntax_tree(source).body:
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        found |= {root for target in targets if (root := _root(target))}
    return found


def _root(target: ast.AST | None) -> str:
    """The name whose object an assignment changes: ``Layer.forward = faster`` belongs to Layer."""
    if isinstance(target, ast.Attribute | ast.Subscript):
        return _root(target.value)
    return target.id if isinstance(target, ast.Name) else ""


def _scopes(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for inner in table.get_children():
        yield from _scopes(inner)
