"""A cell of the rebuilt notebook, with what is run of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from course_lib.rebuilding.code import Code
from course_lib.rebuilding.statement import Statement, reachable
from course_lib.rebuilding.theirs import Theirs
from course_lib.running.cell import Cell
from course_lib.running.cells import ADDED

Notebook = Any


def added(kind: str, source: str, cell_id: str) -> Notebook:
    """A cell of the student's own, as the rebuilt notebook shows it."""
    of_code: dict[str, Any] = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return {"cell_type": kind, "id": cell_id, "metadata": {"tags": [ADDED]}, "source": source, **of_code}


@dataclass
class Piece:
    """A cell of the rebuilt notebook.

    Attributes:
        cell: as the notebook shows it.
        run: what is run of it, or which exercise is asked; None for prose.
        mine: the student's cell that it comes from, if it comes from one.
        code: what is run of it, looked at as code.
        stub: the released source of the exercise that it defines; empty if it defines none.
        idle: whether it is code in a cell that is not a code cell: it runs only if something would be missing without.
    """

    cell: Notebook
    run: Cell | None
    mine: Theirs | None
    code: Code
    stub: str = ""
    idle: bool = False

    @property
    def always_runs(self) -> bool:
        """Whether it runs in every run: demo cells run only where a name is missing, and grade cells never."""
        return self.run is not None and not self.idle and self.run.kind not in ("demo", "grade")

    def wake(self) -> None:
        """Run it although it is not a code cell."""
        self.idle = False
        if self.cell["cell_type"] != "code" and self.mine is not None:
            self.cell = added("code", self.mine.source, self.cell["id"])

    def gives(self, symbol: str) -> bool:
        """Whether running it gives an exercise's name a meaning that is more than the released stub."""
        if symbol not in self.code.binds:
            return False
        return not (self.code.defines(symbol) and self.code.is_stub(symbol, self.stub))


def is_grade(piece: Piece) -> bool:
    """Whether an exercise is asked there."""
    return piece.run is not None and piece.run.kind == "grade"


def given_by(pieces: Sequence[Piece], symbol: str) -> list[int]:
    """The places of the pieces that give an exercise's name a meaning and always run."""
    return [place for place, piece in enumerate(pieces) if piece.always_runs and piece.gives(symbol)]


def needed_by(pieces: Sequence[Piece], symbol: str, stubs: Collection[str]) -> list[str]:
    """The names that a name's definition needs, and those that theirs need, in the order in which they are found.

    Args:
        stubs: the exercises' names; a stub of one needs nothing.
    """
    binding: dict[str, list[Statement]] = {}
    for piece in pieces:
        if piece.always_runs:
            unwritten = {name for name in piece.code.binds & frozenset(stubs) if not piece.gives(name)}
            for statement in piece.code.statements:
                for name in statement.binds - unwritten:
                    binding.setdefault(name, []).append(statement)
    return reachable(symbol, binding, lambda statement: statement.needs)
