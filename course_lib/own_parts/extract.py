"""Cutting one part out of a notebook: the definition, and of everything before it what it needs."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from course_lib.running.cells import exercise_of, kind_of
from course_lib.running.plain_python import plain_python, without_cell_magic
from course_lib.source_names import bound_names, free_names
from course_lib.syntax import LONGEST_CODE, MOST_NAMES, MOST_STATEMENTS, NOT_PYTHON, syntax_tree


class NotThereError(Exception):
    """The notebook does not define the part; the message says so."""


@dataclass(frozen=True)
class Statement:
    """One or more lines of a cell that stand or fall together."""

    source: str

    @cached_property
    def binds(self) -> set[str]:
        """The names it gives a meaning."""
        return bound_names(self.source)

    @cached_property
    def needs(self) -> set[str]:
        """The names it takes from before."""
        return set(free_names(self.source))


def cut_part(notebook: Mapping[str, Any], exercise_id: str, symbol: str, others: set[str]) -> str:
    """The source of a module that defines a symbol as the notebook does where the exercise is checked.

    Taken are the statements that bind the symbol, a name they need, a name those need, and so on:
    imports, helpers, constants. What another exercise of the notebook defines is taken from
    `course_lib.components`, where it is the student's own if that one passes too. Calls that stand
    alone (``torch.manual_seed(0)``) and demos stay behind.

    Args:
        notebook: as `course_lib.running.reading.read_notebook` reads it.
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
            if id(statement) not in taken:  # it is bound to several names
                taken.add(id(statement))
                found += statement.needs - wanted
                wanted |= statement.needs
    # one that binds nothing but another exercise's symbol is that exercise
    kept = [s.source for s in statements if id(s) in taken and not s.binds <= others]
    needed = sorted(wanted & others)
    imports = [f"from course_lib.components import {name}" for name in needed]
    future = [s.source for s in statements if s.source.startswith("from __future__ ")]  # a module begins with them
    rest = [source for source in kept if not source.startswith("from __future__ ")]
    return "\n\n".join([*future, *imports, *rest]) + "\n"


def _statements_until(notebook: Mapping[str, Any], exercise_id: str) -> Iterator[Statement]:
    """The statements of all cells that always run, up to the check of the exercise.

    Raises:
        NotThereError: there are more than anyone writes.
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


@lru_cache(maxsize=8)  # who grades takes the notebooks of several students apart at once
def _by_cell(sources: tuple[str, ...]) -> list[list[Statement]]:
    """Every part of a notebook is cut out of the same cells, and each statement is looked at once."""
    return [list(_statements(code or "")) for code in plain_python(sources)]


def _statements(code: str) -> Iterator[Statement]:
    """A cell's statements with their comments; of a cell that is no Python, none: it raises in the notebook too."""
    try:
        nodes = syntax_tree(code).body
    except NOT_PYTHON:
        return
    lines, end, begun = code.splitlines(), 0, 0
    for number, node in enumerate(nodes):
        end = max(end, node.end_lineno or node.lineno)
        if number + 1 < len(nodes) and _first_line(nodes[number + 1]) <= end:  # two on one line
            continue
        yield Statement("\n".join(lines[begun:end]).strip("\n"))
        begun = end


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])
