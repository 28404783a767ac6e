"""Cut one part out of a notebook: the definition, and everything before it that the definition needs."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from course_lib.checking.left_over import left_over
from course_lib.running.cells import exercise_of, kind_of
from course_lib.running.plain_python import plain_python, without_cell_magic
from course_lib.source_names import bound_names, free_names
from course_lib.syntax import LONGEST_CODE, MOST_NAMES, MOST_STATEMENTS, NOT_PYTHON, syntax_tree


class NotThereError(Exception):
    """The notebook does not define the part. The message says why."""


@dataclass(frozen=True)
class Statement:
    """One or more lines of a cell that are kept or left out together."""

    source: str

    @cached_property
    def binds(self) -> set[str]:
        """The names that it binds."""
        return bound_names(self.source)

    @cached_property
    def needs(self) -> set[str]:
        """The names that it uses from earlier statements."""
        return set(free_names(self.source))


def cut_part(notebook: Mapping[str, Any], exercise_id: str, symbol: str, others: set[str]) -> str:
    """Return the source of a module that defines a symbol as the notebook does at the exercise's check.

    The module contains the statements that bind the symbol, the names that these need, and so on: imports, helper
    functions, constants. Symbols of the notebook's other exercises are imported from `course_lib.components`, which has
    the student's own version if it passes. Calls on a line of their own (``torch.manual_seed(0)``) and demos are left
    out.

    Args:
        notebook: the result of `course_lib.running.reading.read_notebook`.
        others: the symbols of the notebook's other exercises.

    Raises:
        NotThereError: no cell before the check defines the symbol.
    """
    statements = list(_statements_until(notebook, exercise_id))
    if not any(symbol in statement.binds for statement in statements):
        raise NotThereError(f"no cell before its check defines {symbol}")
    by_name: dict[str, list[Statement]] = {}
    for statement in statements:
        for name in statement.binds:
            by_name.setdefault(name, []).append(statement)
    wanted, found, taken = {symbol}, [symbol], set[int]()
    while found:
        name = found.pop()
        for statement in () if name in others else by_name.pop(name, ()):
            if id(statement) not in taken:  # it may bind several names
                taken.add(id(statement))
                found += statement.needs - wanted
                wanted |= statement.needs
    # a statement that binds only other exercises' symbols belongs to those exercises
    kept = [s.source for s in statements if id(s) in taken and not s.binds <= others]
    needed = sorted(wanted & others)
    imports = [f"from course_lib.components import {name}" for name in needed]
    future = [s.source for s in statements if s.source.startswith("from __future__ ")]  # these must come first
    rest = [source for source in kept if not source.startswith("from __future__ ")]
    return "\n\n".join([*future, *imports, *rest]) + "\n"


def is_stub(source: str, symbol: str) -> bool:
    """Return whether some function in a symbol's definition is as we release it: it only raises NotImplementedError."""
    try:
        return any(found.alone for found in left_over(syntax_tree(source), symbol))
    except NOT_PYTHON:
        return False


def _statements_until(notebook: Mapping[str, Any], exercise_id: str) -> Iterator[Statement]:
    """Yield the statements of all cells that always run, up to the check of the exercise.

    Raises:
        NotThereError: there are implausibly many.
    """
    sources: list[str] = []
    end: int | None = None
    for cell in notebook["cells"]:
        kind = kind_of(cell)
        if kind == "grade" and exercise_of(cell) == exercise_id and end is None:
            end = len(sources)
        if kind in ("setup", "exercise", "own"):
            sources.append(without_cell_magic(cell["source"]))
    if sum(map(len, sources)) > LONGEST_CODE:
        raise NotThereError(f"the notebook has more than {LONGEST_CODE:,} characters of code")
    count = names = 0
    for statements in _by_cell(tuple(sources))[:end]:
        for statement in statements:
            yield statement
            count, names = count + 1, names + len(statement.binds) + len(statement.needs)
            if count > MOST_STATEMENTS:
                raise NotThereError(f"the notebook has more than {MOST_STATEMENTS:,} statements before its check")
            if names > MOST_NAMES:
                raise NotThereError(f"the notebook's statements have more than {MOST_NAMES:,} names before its check")


@lru_cache(maxsize=8)  # a grader takes the notebooks of several students apart at once
def _by_cell(sources: tuple[str, ...]) -> list[list[Statement]]:
    """Return the statements of each cell. The cache lets all parts of a notebook share them."""
    return [list(_statements(code or "")) for code in plain_python(sources)]


def _statements(code: str) -> Iterator[Statement]:
    """Yield a cell's statements with their comments, or none if the cell isn't valid Python, as it would only raise."""
    try:
        nodes = syntax_tree(code).body
    except NOT_PYTHON:
        return
    lines, end, begun = code.splitlines(), 0, 0
    for number, node in enumerate(nodes):
        end = max(end, node.end_lineno or node.lineno)
        if number + 1 < len(nodes) and _first_line(nodes[number + 1]) <= end:  # two statements on one line
            continue
        yield Statement("\n".join(lines[begun:end]).strip("\n"))
        begun = end


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])
