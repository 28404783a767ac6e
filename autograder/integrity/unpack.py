"""Prepare a cell's code for comparison: remove cell magics, and add the code that it contains as strings."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator

from course_lib.rebuilding.code import Code
from course_lib.running.plain_python import without_cell_magic
from course_lib.syntax import NOT_PYTHON, syntax_tree

#: the most characters of code that are parsed, because the tree of more may take a gigabyte
LARGEST = 300_000
#: the length of a notebook, in characters, above which comments and docstrings are removed first
LONG = 50_000
#: the deepest nesting of code in strings that is unpacked
_DEPTH = 3
#: magics that pass the cell's code on: to a file, a timer or another process
_HOLDS_CODE = ("%%writefile", "%%file", "%%timeit", "%%python", "%%python3", "%%script")
_RUNS_TEXT = frozenset({"exec", "eval", "run_cell", "run_cell_magic", "run_code"})


def unpacked(source: str, long: bool = False) -> str:
    """Return the code of a cell, followed by each string in it that is code.

    Args:
        long: whether to remove comments and docstrings.
    """
    source = _without_magic(source)
    tree = _tree(without_comments(source) if long else source)
    if tree is None:
        return without_comments(source) if long else source
    code = _without_docstrings(tree) if long else source
    return "\n\n".join([code, *_texts(tree, _DEPTH)])


def without_comments(source: str) -> str:
    """Remove the lines that contain only a comment."""
    return "\n".join(line for line in source.split("\n") if not line.lstrip().startswith("#"))


def runs_unknown_text(source: str) -> bool:
    """Return whether the code runs a string that is not a literal."""
    tree = _tree(source)
    if tree is None or not any(word in source for word in _RUNS_TEXT):
        return False
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _called(node) in _RUNS_TEXT]
    # network.eval() has no arguments and runs no string
    return any(call.args and not isinstance(call.args[-1], ast.Constant) for call in calls)


def _called(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _without_magic(source: str) -> str:
    first, _, rest = source.lstrip().partition("\n")
    if first.startswith(_HOLDS_CODE) and _tree(rest):
        return rest
    code = without_cell_magic(source)
    if code and not _tree(code):
        plain = Code(code).plain
        return plain if _tree(plain) else code
    return code or source


def _tree(source: str) -> ast.Module | None:
    if len(source) > LARGEST:
        return None
    try:
        return syntax_tree(source)
    except NOT_PYTHON:
        return None


def _without_docstrings(tree: ast.Module) -> str:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            kept = [one for one in body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
            node.body = kept or ([] if node is tree else [ast.Pass()])  # type: ignore[attr-defined]
    try:
        return ast.unparse(tree)
    except NOT_PYTHON:
        return ""


def _texts(tree: ast.AST, depth: int) -> Iterator[str]:
    """Yield the code in strings that define a function or a class, and in strings that are passed to `exec`."""
    nodes = list(ast.walk(tree))
    run = {id(one) for node in nodes if isinstance(node, ast.Call) and _called(node) in _RUNS_TEXT for one in node.args}
    for node in nodes:
        if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            continue
        text = textwrap.dedent(node.value).strip("\n")
        inner = _tree(text) if id(node) in run or "\n" in text else None
        if inner and (id(node) in run or any(isinstance(one, ast.FunctionDef | ast.ClassDef) for one in inner.body)):
            yield text
            if depth > 1:
                yield from _texts(inner, depth - 1)
