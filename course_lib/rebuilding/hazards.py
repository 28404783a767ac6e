"""Find statements that run at home but fail in the grader: imports, devices, breakpoints, input at a prompt."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from course_lib.rebuilding.code import Code
from course_lib.rebuilding.environment import Environment

_DEVICE = re.compile(r"(?:cuda(?::\d+)?|mps)")
_SETS_TRACE = frozenset({"set_trace", "post_mortem"})
_ASKS = frozenset({"input", "raw_input", "getpass"})
#: functions that accept the name of a device and run without the device
_HARMLESS = frozenset({"autocast", "GradScaler", "startswith", "endswith", "print", "get", "index", "count"})
_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True)
class Hazard:
    """A statement that fails in the grader.

    Attributes:
        line: its line in the cell.
        what: the problem, such as ``"imports einops"``.
        advice: why it fails, and what to do instead.
        at_once: whether it runs with the cell, instead of only when a function is called.
        surely: whether it runs unconditionally.
    """

    line: int
    what: str
    advice: str
    at_once: bool
    surely: bool


def reached(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a statement that always run when the statement runs or when what it defines is called."""
    return (inner for inner, _, surely in _reached(node, True, True) if surely)


def hazards(code: Code, environment: Environment) -> Iterator[Hazard]:
    """Yield all hazards of a cell, in order. Skip code in a `try` with handlers."""
    tests_device = "is_available" in code.source or environment.gpu
    for statement in code.tree.body if code.tree else ():
        for node, at_once, surely in _reached(statement, True, True):
            if (found := _hazard(node, environment, tests_device)) is not None:
                yield Hazard(node.lineno, *found, at_once, surely)  # type: ignore[attr-defined]


def _reached(node: ast.AST, at_once: bool, surely: bool) -> Iterator[tuple[ast.AST, bool, bool]]:
    """Yield the parts of a statement that may fail, each with whether it runs at once and unconditionally."""
    yield node, at_once, surely
    if isinstance(node, ast.Try) and node.handlers:
        later: list[ast.AST] = [*node.finalbody]
        for inner in later:
            yield from _reached(inner, at_once, surely)
        return
    if isinstance(node, _FUNCTIONS):
        at_once = False
    conditional = isinstance(
        node, ast.If | ast.IfExp | ast.While | ast.For | ast.Match | ast.BoolOp | ast.ExceptHandler
    )
    for inner in ast.iter_child_nodes(node):
        sure = surely and (not conditional or inner is getattr(node, "test", None))
        yield from _reached(inner, at_once, sure)


def _hazard(node: ast.AST, environment: Environment, tests_device: bool) -> tuple[str, str] | None:
    if isinstance(node, ast.Import | ast.ImportFrom):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        missing = [top for name in names if (top := name.partition(".")[0]) and not environment.has(top)]
        if missing and not (isinstance(node, ast.ImportFrom) and node.level):
            has = f"Your grader has no {missing[0]}. It has: {environment.known}."
            return (
                f"imports {missing[0]}",
                f"{has} Write the code without it. If it is a file of yours, paste it into a cell.",
            )
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name == "breakpoint" or name in _SETS_TRACE:
            return f"has a forgotten breakpoint ({name}())", "Delete it."
        if name in _ASKS and not (isinstance(node.func, ast.Attribute) and name == "input"):
            return f"calls {name}()", "Nobody can answer in the grader. Put the value into the code."
        if not tests_device and isinstance(node.func, ast.Attribute) and name == "cuda":
            return "uses a GPU (.cuda())", _NO_GPU
        if not tests_device and name not in _HARMLESS:
            return _device([*node.args, *(keyword.value for keyword in node.keywords)])
    if isinstance(node, ast.Assign) and not tests_device:
        return _device([node.value])
    return None


_NO_GPU = 'Your grader has no GPU. Write: "cuda" if torch.cuda.is_available() else "cpu".'


def _device(values: list[ast.expr]) -> tuple[str, str] | None:
    for value in values:
        if isinstance(value, ast.Constant) and isinstance(value.value, str) and _DEVICE.fullmatch(value.value):
            return f'uses the device "{value.value}"', _NO_GPU
    return None
