"""A cell of the rebuilt notebook, together with the code that it runs."""

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
    """Make a cell for something that the student added, as the rebuilt notebook shows it."""
    of_code: dict[str, Any] = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return {"cell_type": kind, "id": cell_id, "metadata": {"tags": [ADDED]}, "source": source, **of_code}


@dataclass
class Piece:
    """A cell of the rebuilt notebook.

    Attributes:
        cell: the cell as the notebook shows it.
        run: the code to run or the exercise to ask; None for prose.
        mine: the student's cell that it comes from, if any.
        code: the analysis of the code that it runs.
        stub: the released source of the exercise that it defines; empty if it defines none.
        idle: whether its code is in a raw or Markdown cell, and runs only if a name would be missing otherwise.
    """

    cell: Notebook
    run: Cell | None
    mine: Theirs | None
    code: Code
    stub: str = ""
    idle: bool = False

    @property
    def always_runs(self) -> bool:
        """Whether it is part of every run. Demo cells run only if a name is missing, and grade cells never do."""
        return self.run is not None and not self.idle and self.run.kind not in ("demo", "grade")

    def wake(self) -> None:
        """Run the piece although its cell isn't a code cell."""
        self.idle = False
        if self.cell["cell_type"] != "code" and self.mine is not None:
            self.cell = added("code", self.mine.source, self.cell["id"])

    def gives(self, symbol: str) -> bool:
        """Whether running the piece defines or changes an exercise's name, and not only as a stub."""
        if symbol not in self.code.binds:
            return False
        return not (self.code.defines(symbol) and self.code.is_stub(symbol, self.stub))


def is_grade(piece: Piece) -> bool:
    """Whether a piece is a grade cell, where an exercise is asked."""
    return piece.run is not None and piece.run.kind == "grade"


def given_by(pieces: Sequence[Piece], symbol: str) -> list[int]:
    """Return the indices of the pieces that always run and define an exercise's name as more than a stub."""
    return [place for place, piece in enumerate(pieces) if piece.always_runs and piece.gives(symbol)]


def needed_by(pieces: Sequence[Piece], symbol: str, stubs: Collection[str]) -> list[str]:
    """Return a name and all names that its definition needs, directly or indirectly, in the order of discovery.

    Args:
        stubs: the exercises' names. A definition of one that is only a stub is ignored.
    """
    binding: dict[str, list[Statement]] = {}
    for piece in pieces:
        if piece.always_runs:
            unwritten = {name for name in piece.code.binds & frozenset(stubs) if not piece.gives(name)}
            for statement in piece.code.statements:
                for name in statement.binds - unwritten:
                    binding.setdefault(name, []).append(statement)
    return reachable(symbol, binding, lambda statement: statement.needs)
