"""Read and edit implementations as text."""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
from collections.abc import Callable, Collection, Iterable
from functools import cache
from typing import Any


def source_of(thing: Callable[..., Any] | type) -> str:
    """Return the source of a function or class, without decorators and indentation.

    Raises:
        OSError: the source cannot be read.
    """
    thing = inspect.unwrap(thing)
    lines, statements = _read(inspect.getsourcefile(thing) or "")
    statement = statements[thing.__qualname__]
    return textwrap.dedent("".join(lines[statement.lineno - 1 : statement.end_lineno]))


@cache
def _read(file: str) -> tuple[list[str], dict[str, ast.ClassDef | ast.FunctionDef]]:
    """Return a file's lines and its definitions by name. `inspect` would read the file again for each class."""
    lines = linecache.getlines(file)
    return lines, {one.name: one for one in ast.parse("".join(lines)).body if isinstance(one, _DEFINITIONS)}


_DEFINITIONS = (ast.ClassDef, ast.FunctionDef)


def edited(source: str, edits: Iterable[tuple[str, str]]) -> str:
    """Return a source after edits, each ``(old, new)``.

    Raises:
        ValueError: an old text does not occur exactly once.
    """
    for old, new in edits:
        if source.count(old) != 1:
            raise ValueError(
                f"the text to be edited, {old!r}, must occur once in the reference. It occurs {source.count(old)} times"
            )
        source = source.replace(old, new)
    return source


def with_methods(reference: str, variant: str) -> str:
    """Return the reference's class with a variant's methods and class variables. Those that are new come last.

    Args:
        variant: ends with a class. What precedes it precedes the result.
    """
    lines, new = reference.splitlines(), variant.splitlines()
    own, written = _members(reference), _members(variant)
    for name in sorted(own.keys() & written.keys(), key=lambda name: own[name].start, reverse=True):
        lines[own[name]] = new[written[name]]
    for name in (name for name in written if name not in own):
        lines += ["", *new[written[name]]]
    before = new[: ast.parse(variant).body[-1].lineno - 1]
    return "\n".join([*before, *lines]) + "\n"


def _members(source: str) -> dict[str, slice]:
    """Return the lines of each method and class variable of a class, by its name."""
    found = ast.parse(source).body[-1]
    assert isinstance(found, ast.ClassDef)
    members = {}
    for statement in found.body:
        match statement:
            case ast.FunctionDef(name=name, decorator_list=decorators):
                start = min([statement.lineno, *(each.lineno for each in decorators)])
            case ast.Assign(targets=[ast.Name(id=name)]):
                start = statement.lineno
            case _:
                continue
        members[name] = slice(start - 1, statement.end_lineno)
    return members


def without_bodies(source: str, methods: Collection[str]) -> str:
    """Return source in which the named functions, or all if none is named, raise `NotImplementedError`."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and (not methods or node.name in methods):
            node.body = [ast.Raise(ast.Name("NotImplementedError", ast.Load()))]
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"
