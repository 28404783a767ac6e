"""Bring sources into a normal form: drop neutral operations, brackets and annotations, and sort operands.

To disguise a copy, a student might multiply by 1, add 0, index with ``[...]``, swap the sides of a comparison or return
a value through a variable. The normal form undoes such changes, so that sources without other differences have the same
tokens. The time that this takes is proportional to the length of the source.
"""

from __future__ import annotations

import ast
import sys
import zlib
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from autograder.integrity.indices import plain_subscript
from course_lib.syntax import NOT_PYTHON, syntax_tree

#: the recursion limit for a tree that Python's parser accepts: it has up to 3,000 levels, and each takes several calls
_DEEPEST = 50_000
#: the most characters that are brought into a normal form. More would take longer than anyone waits
_MOST = 100_000

_COMMUTATIVE = (ast.Add, ast.Mult, ast.BitAnd, ast.BitOr, ast.BitXor)
_TURNED = {ast.Gt: ast.Lt, ast.GtE: ast.LtE}
#: the neutral value on the right of each operation. On the left it is neutral if the operation is commutative
_NEUTRAL: dict[type[ast.operator], int] = {ast.Mult: 1, ast.Add: 0, ast.Sub: 0, ast.Div: 1, ast.Pow: 1}


@dataclass(frozen=True)
class NormalForm:
    """A normal form as text, with the positions in the source.

    Attributes:
        text: the normal form.
        places: the line and the column, in bytes, of each node of the text, in order.
        lines: the line of each node in the source. All numbers count from 0.
        whole: whether the text covers the whole source; False if that was too long.
    """

    text: str
    places: tuple[tuple[int, int], ...]
    lines: tuple[int, ...]
    whole: bool

    def line_of(self, line: int, column: int) -> int:
        """Return the line in the source from which a position in the text comes."""
        found = bisect_right(self.places, (line, column)) - 1
        return self.lines[max(found, 0)] if self.lines else 0


def normal_form(source: str) -> NormalForm | None:
    """Return the normal form of a source, or None if it is not Python, nested too deeply, or begins very long."""
    try:
        tree = syntax_tree(source)
        count = len(tree.body)
        tree.body = list(_first(tree.body, source))
        if count and not tree.body:
            return None
        whole = len(tree.body) == count
        with _deep_recursion():
            _Normal().visit(tree)  # returns the module itself
            ast.fix_missing_locations(tree)
            text = ast.unparse(tree)
        pairs = zip(_placed(tree), _placed(syntax_tree(text)), strict=True)
        found = sorted(((after.lineno - 1, after.col_offset), before.lineno - 1) for before, after in pairs)
    except NOT_PYTHON:
        return None
    return NormalForm(text, tuple(place for place, _ in found), tuple(line for _, line in found), whole)


def _first(statements: list[ast.stmt], source: str) -> Iterator[ast.stmt]:
    """Yield the statements that end within the first `_MOST` characters."""
    ends = list(accumulate(len(line) + 1 for line in source.split("\n")))
    for statement in statements:
        if ends[(statement.end_lineno or statement.lineno) - 1] > _MOST + 1:
            return
        yield statement


@contextmanager
def _deep_recursion() -> Iterator[None]:
    """Raise Python's recursion limit in the block. These calls need no stack of the operating system's."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _placed(tree: ast.AST) -> list[ast.expr | ast.stmt]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.expr | ast.stmt)]


class _Normal(ast.NodeTransformer):
    """Brings every node into its normal form, inner ones first."""

    def __init__(self) -> None:
        self._keys: dict[ast.AST, tuple[bool, int]] = {}

    def visit(self, node: ast.AST) -> Any:
        node = super().visit(node)
        for field in ("body", "orelse", "finalbody"):
            if isinstance(statements := getattr(node, field, None), list):
                setattr(node, field, _plain(statements, field == "body" and not isinstance(node, ast.Module)))
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        if isinstance(node.op, _COMMUTATIVE):
            return self._sorted_chain(node)
        self.generic_visit(node)
        neutral = _NEUTRAL.get(type(node.op))
        return node.left if neutral is not None and _is(node.right, neutral) else node

    def _sorted_chain(self, node: ast.BinOp) -> ast.expr:
        """Return ``a + b + c`` in whatever order and with whatever brackets, sorted and without neutral operands."""
        operands = [one for operand in _operands(node) for one in _operands(self.visit(operand), type(node.op))]
        neutral = _NEUTRAL.get(type(node.op))
        kept = [one for one in operands if neutral is None or not _is(one, neutral)] or operands[:1]
        first, *others = sorted(kept, key=self._key)
        for other in others:
            first = ast.copy_location(ast.BinOp(first, node.op, other), node)
        return first

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        inner = node.operand
        if isinstance(node.op, ast.UAdd):
            return inner
        twice = isinstance(inner, ast.UnaryOp) and type(inner.op) is type(node.op)
        return inner.operand if twice and isinstance(inner, ast.UnaryOp) else node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) == 1:
            (op,), (right,) = node.ops, node.comparators
            if type(op) in _TURNED:
                node.left, node.comparators, node.ops = right, [node.left], [_TURNED[type(op)]()]
            elif isinstance(op, ast.Eq | ast.NotEq):
                node.left, node.comparators[0] = sorted((node.left, right), key=self._key)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if all(keyword.arg for keyword in node.keywords):
            node.keywords.sort(key=lambda keyword: keyword.arg or "")
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, str | bytes):  # the content and length of a string don't matter
            node.value = node.value and ("text" if isinstance(node.value, str) else b"text")
        elif isinstance(node.value, float) and node.value.is_integer() and abs(node.value) < 2**53:
            node.value = int(node.value)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        return plain_subscript(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.target, ast.Name):
            return node
        read = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
        value = ast.copy_location(ast.BinOp(read, node.op, node.value), node)
        return ast.copy_location(ast.Assign([node.target], self.visit_BinOp(value)), node)  # type: ignore[arg-type]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        self.generic_visit(node)
        return node if node.value is None else ast.copy_location(ast.Assign([node.target], node.value), node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        self.generic_visit(node)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def _key(self, node: ast.AST) -> tuple[bool, int]:
        """Return a key that sorts operands by their structure without names, with constants last."""
        if node not in self._keys:
            inner = [self._key(child)[1] for child in ast.iter_child_nodes(node)]
            about = repr(node.value) if isinstance(node, ast.Constant) else getattr(node, "attr", "")
            text = repr((type(node).__name__, about, inner)).encode("utf-8", "replace")
            self._keys[node] = isinstance(node, ast.Constant), zlib.crc32(text)
        return self._keys[node]


def _is(node: ast.AST, number: int) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.value == number


def _operands(node: ast.expr, op: type[ast.operator] | None = None) -> list[ast.expr]:
    """Return the operands of nested operations of one kind, from left to right."""
    found, waiting = list[ast.expr](), [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, ast.BinOp) and type(one.op) is (op or type(one.op)):
            op = op or type(one.op)
            waiting += [one.right, one.left]
        else:
            found.append(one)
    return found


def _plain(statements: list[ast.stmt], needed: bool) -> list[ast.stmt]:
    """Remove statements that do nothing, and variables that are only returned."""
    kept: list[ast.stmt] = []
    for statement in statements:
        match statement:
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                continue
            case ast.If(test=ast.Constant(value=True | 1), body=body, orelse=[]):
                kept += body
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=same)) if name == same:
                continue
            case ast.Return(value=ast.Name(id=name)) if kept and _assigns(kept[-1], name):
                value = kept.pop()
                assert isinstance(value, ast.Assign)
                kept.append(ast.copy_location(ast.Return(value.value), value))
            case _:
                kept.append(statement)
    nothing = [ast.copy_location(ast.Pass(), statements[0])] if needed and statements else []
    return kept or list(nothing)


def _assigns(statement: ast.stmt, name: str) -> bool:
    match statement:
        case ast.Assign(targets=[ast.Name(id=found)]):
            return found == name
    return False
