"""Find a `raise NotImplementedError()` that was left in a function next to the student's code."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class LeftOver:
    """A `raise NotImplementedError()` that a function reaches, unless code above it returns first.

    Attributes:
        symbol: the name of the function, or of the method as ``"Head.forward"``.
        line: its line in the cell.
        alone: whether the function contains nothing else except its docstring.
        surely: whether no code above it may return first.
    """

    symbol: str
    line: int
    alone: bool
    surely: bool

    @property
    def sentence(self) -> str:
        """The sentence for the card, `course doctor` and the feedback page."""
        return f"`raise NotImplementedError()` is still in line {self.line} of {self.symbol}: delete it."


def left_over(tree: ast.Module, symbol: str) -> list[LeftOver]:
    """Return the left-over raises in the last definition of a function or class, except unreachable ones."""
    named = [node for node in tree.body if isinstance(node, Function | ast.ClassDef) and node.name == symbol]
    return list(_in(named[-1], "")) if named else []


def left_over_sentence(tree: ast.Module | None, symbol: str) -> str:
    """Return the sentence about the first left-over raise next to written code; empty if there is none."""
    found = left_over(tree, symbol) if tree else []
    return next((one.sentence for one in found if not one.alone), "")


def _in(node: ast.stmt, within: str) -> Iterator[LeftOver]:
    if isinstance(node, ast.ClassDef):
        for inner in node.body:
            yield from _in(inner, f"{within}{node.name}.")
    elif isinstance(node, Function):
        body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
        for place, statement in enumerate(body):
            if _is_stub(statement):
                surely = not any(isinstance(inner, ast.Return) for above in body[:place] for inner in ast.walk(above))
                yield LeftOver(within + node.name, statement.lineno, len(body) == 1, surely)
            if _ends(statement):
                return


def _is_stub(statement: ast.stmt) -> bool:
    """Return whether a statement raises NotImplementedError without a message, unlike one that a student wrote."""
    if not isinstance(statement, ast.Raise):
        return False
    raised = statement.exc
    if isinstance(raised, ast.Call) and not raised.args and not raised.keywords:
        raised = raised.func
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"


def _ends(statement: ast.stmt) -> bool:
    """Return whether the code after the statement is unreachable."""
    match statement:
        case ast.Return() | ast.Raise():
            return True
        case ast.If(body=body, orelse=otherwise):
            return _one_ends(body) and _one_ends(otherwise)
        case ast.With(body=body) | ast.AsyncWith(body=body):
            return _one_ends(body)
        case ast.Try(body=body, handlers=handlers, orelse=otherwise, finalbody=last):
            through = _one_ends([*body, *otherwise]) and all(_one_ends(handler.body) for handler in handlers)
            return through or _one_ends(last)
        case ast.While(test=ast.Constant(value=True)):
            return not any(isinstance(node, ast.Break) for node in ast.walk(statement))
        case ast.Match(cases=cases):
            any_other = any(isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None for case in cases)
            return any_other and all(_one_ends(case.body) for case in cases)
        case _:
            return False


def _one_ends(statements: Sequence[ast.stmt]) -> bool:
    return any(map(_ends, statements))
