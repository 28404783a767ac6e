"""Assemble the rebuilt notebook: the student's source in the cells that students write, and ours in the others."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

from course_lib.rebuilding.code import Code, asked_in, code
from course_lib.rebuilding.piece import Piece, added
from course_lib.rebuilding.theirs import Theirs
from course_lib.rebuilding.written import Answer
from course_lib.running.cell import Cell, CellKind
from course_lib.running.cells import ADDED, exercise_of, grade_id, kind_of

Notebook = Any

NOTHING = Code("")


class Assembly:
    """Make the pieces of the rebuilt notebook.

    Args:
        released: the notebook as it was built for students.
        symbols: the name of each exercise's function or class, by exercise id.
        answers: the answers to written questions, by the index of the released answer cell.
        shown: a function that makes a student's prose harmless, for pages that other people open.
    """

    def __init__(
        self,
        released: Notebook,
        symbols: Mapping[str, str],
        answers: Mapping[int, Answer],
        shown: Callable[[str], str],
    ) -> None:
        self._released, self._symbols, self._answers, self._shown = released, symbols, answers, shown
        self._quoted = {part.cell.number for answer in answers.values() for part in answer.found}
        cells = {grade_id(cell): cell["source"] for cell in released["cells"]}
        self._stubs = {symbol: cells[exercise] for exercise, symbol in symbols.items() if exercise in cells}
        self._count = 0

    def pieces(self, place: int | None, mine: Theirs | None) -> list[Piece]:
        """Return the pieces of a step: a released cell with the student's version, or a cell that the student added."""
        if place is None:
            return self.own(mine) if mine else []
        original = self._released["cells"][place]
        kind, changed = kind_of(original), mine is not None and not same_text(mine.source, original["source"])
        also = self.own(mine) if mine is not None and (changed or mine.kind != original["cell_type"]) else []
        cell = copy.deepcopy(original)
        match kind:
            case "prose":
                return [Piece(cell, None, mine, NOTHING), *(piece for piece in also if piece.run)]
            case "written":
                if answer := self._answers[place].source:
                    cell["source"] = self._shown(answer)
                runs = [piece for piece in also if piece.run and piece.code.binds]
                return [*runs, Piece(cell, None, mine, NOTHING)]
            case "grade":
                exercise = exercise_of(original)
                asks = Cell(cell["id"], kind, cell["source"], exercise, self._symbols[exercise])
                return [*also, Piece(cell, asks, mine, NOTHING)]
            case "setup":
                return [Piece(cell, Cell(cell["id"], kind, cell["source"]), mine, code(cell["source"])), *also]
            case _:
                return [self._to_write(cell, kind, mine)]

    def _to_write(self, cell: Notebook, kind: CellKind, mine: Theirs | None) -> Piece:
        """Return an exercise or a demo with the student's source in place of ours."""
        stub, symbol = cell["source"], self._symbols.get(grade_id(cell), "")
        if mine is None and kind == "exercise":
            cell["source"] = ""  # not the stub, which would hide a definition in another cell
        if mine is None or (mine.kind != "code" and kind == "demo"):
            return Piece(
                cell, Cell(cell["id"], kind, cell["source"]), mine, code(cell["source"]), stub if symbol else ""
            )
        cell["source"] = mine.source
        if kind == "demo" and not same_text(mine.source, stub):
            cell["metadata"]["tags"] = [ADDED]  # it is the student's code, and is searched and compared as such
            if any(name in mine.code.binds and not mine.code.is_stub(name, stub) for name in self._symbols.values()):
                kind = "own"  # the student wrote an exercise in it, so it runs like a cell that the student added
        run = Cell(cell["id"], kind, mine.to_run)
        return Piece(cell, run, mine, mine.code, stub if symbol else "", idle=mine.kind != "code")

    def own(self, mine: Theirs) -> list[Piece]:
        """Return a cell that the student added, unless it only checks: the grader runs its own checks."""
        only_checks = not mine.blank and not mine.to_run and bool(asked_in(mine.code))
        if only_checks or (mine.kind != "code" and mine.number in self._quoted):
            return []
        self._count += 1
        kind = "code" if mine.kind == "code" else "markdown"
        cell = added(kind, mine.source if kind == "code" else self._shown(mine.source), f"own-{self._count}")
        runs = mine.kind == "code" or bool(mine.code.binds)
        run = Cell(cell["id"], "own", mine.to_run) if runs else None
        stub = next((stub for symbol, stub in self._stubs.items() if mine.code.defines(symbol)), "")
        return [Piece(cell, run, mine, mine.code, stub, idle=mine.kind != "code")]

    def named(self, symbol: str, other: str) -> Piece:
        """Return a cell that assigns the exercise's name to what the student checks under another name."""
        self._count += 1
        source = f"{symbol} = {other}"
        cell = added("code", source, f"own-{self._count}")
        return Piece(cell, Cell(cell["id"], "own", source), None, code(source))


def same_text(one: str, other: str) -> bool:
    """Whether two sources are equal apart from leading and trailing whitespace."""
    return one.strip() == other.strip()
