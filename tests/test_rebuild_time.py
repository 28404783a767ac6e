"""A notebook written to keep the grader busy is rebuilt in a moment, and other notebooks are rebuilt as before."""

from __future__ import annotations

import copy
import itertools
import string
import time
from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from conftest import LESSON
from nbformat.v4 import new_code_cell

from autograder.exercises import of_lesson
from course_lib.rebuilding.code import Code
from course_lib.rebuilding.environment import Environment
from course_lib.rebuilding.findings import findings
from course_lib.rebuilding.rebuild import rebuild
from course_lib.rebuilding.theirs import their_cells

Notebook = Any
SYMBOLS = {d.id: d.exercise.symbol for d in of_lesson(LESSON)}
NAMES = [f"_{''.join(letters)}" for letters in itertools.product(string.ascii_letters, repeat=2)]


def chain(names: Iterable[str]) -> str:
    """Define names that each need the next one."""
    return "\n".join(f"{one} = {other}" for one, other in itertools.pairwise(names))


def swap(count: int) -> str:
    """Make a statement that binds and needs many names."""
    names = ",".join(f"{a}{b}" for a, b in itertools.islice(itertools.product(NAMES, "abcdefgh"), count))
    return f"{names}={names}"


#: seconds of processor time; on a quiet machine none takes more than half of it
LIMIT = 2.0
SYMBOL = next(iter(SYMBOLS.values()))
HOSTILE = {
    "one line of statements": [";".join(["a"] * 25_000)],
    "a line of statements in each cell": [";".join(["a"] * 200) + f";{name}" for name in NAMES[:300]],
    "many lines": ["\n".join(["a"] * 24_900)],
    "many names": [swap(4_000) + f";{SYMBOL}=_aaa"],
    "more names than are looked at": [swap(7_000)],
    "a long chain": [chain([SYMBOL, *NAMES])],
    "a chain through many cells": [chain(pair) for pair in itertools.pairwise([SYMBOL, *NAMES[:900]])],
    "spaces in what is not Python": ["(\n" + " " * 49_000 + "x"],
    "spaces after a check": ["(\ncheck('a')" + " " * 49_000 + "x"],
    "empty lines": ["(" + "\n" * 49_000 + "x"],
    "blocks in blocks": ["\n".join(f"{' ' * n}if a:" for n in range(90)) + "\n" + " " * 90 + "a = 1"],
    "many branches": ["if a:\n    b = 1\n" + "elif a:\n    b = 1\n" * 90],
    "too many branches": [f"def {SYMBOL}(x):\n  if x:\n    return 1\n" + "  elif x:\n    return 1\n" * 900],
    "a long sum": [f"{SYMBOL} = " + "+".join("1" * 2_000)],
    "the same name in every cell": [f"{SYMBOL} = {n}\nimport n{n}\ny = 'mps'" for n in range(900)],
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_notebook_is_rebuilt_in_a_moment(released: Notebook, what: str) -> None:
    mine = copy.deepcopy(released)
    mine.cells[3:3] = [new_code_cell(source) for source in HOSTILE[what]]
    before = time.process_time()
    rebuilt = rebuild(released, their_cells(mine.cells), SYMBOLS)
    between = time.process_time()
    findings(rebuilt, Environment(lambda: frozenset({"torch", "numpy"})))
    after = time.process_time()
    assert between - before < LIMIT
    assert after - between < LIMIT
    run = [cell.source for cell in rebuilt.cells]
    assert [source for source in run if source in set(HOSTILE[what])] == HOSTILE[what]


def test_ipython_is_asked_once_about_all_cells_that_are_not_python(
    released: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def nothing(sources: Sequence[str]) -> list[str | None]:
        asked.append(len(sources))
        return [None] * len(sources)

    monkeypatch.setattr("course_lib.rebuilding.findings.plain_python", nothing)
    mine = copy.deepcopy(released)
    mine.cells[3:3] = [new_code_cell(f"def {SYMBOL}(:\n  {n}") for n in range(50)]
    found = findings(
        rebuild(released, their_cells(mine.cells), SYMBOLS), Environment(lambda: frozenset({"torch", "numpy"}))
    )
    assert asked == [50]
    assert sum("is not Python" in finding.sentence for finding in found) == 50


def test_statements_in_one_line_are_told_apart() -> None:
    first, second, third = Code("é = ä; f(é); b = c = [é,\n  d]").statements
    assert (first.source, second.source, third.source) == ("é = ä", "f(é)", "b = c = [é,\n  d]")
    assert first.binds == {"é"} and first.needs == {"ä"}
    assert third.binds == {"b", "c"} and third.needs == {"é", "d"}


def test_a_decorator_belongs_to_its_function() -> None:
    (function,) = Code("@cached(a)\n@b\ndef f(x): return g(x)").statements
    assert function.needs == {"cached", "a", "b", "g"}


def test_names_in_nested_blocks_are_found() -> None:
    code = Code("if a:\n  for i in b:\n    import c.d as e\n    def f(): x = 1\n  class G: y = 2\nelse:\n  h, *j = k")
    assert code.gives == {"i", "e", "f", "G", "h", "j"}
