"""Find the parts of a notebook that an exercise uses: its definition, everything that needs, and so on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from course_lib.rebuilding.piece import Piece, is_grade, needed_by
from course_lib.rebuilding.rebuild import Rebuilt
from course_lib.rebuilding.statement import Statement


@dataclass(frozen=True)
class Uses:
    """The parts of a notebook that one exercise uses.

    Attributes:
        statements: the statements that it uses, by the index of their piece in the notebook.
        names: the names that it needs, in the order of discovery, beginning with the exercise's own.
    """

    statements: Mapping[int, tuple[Statement, ...]] = field(default_factory=dict)
    names: tuple[str, ...] = ()


def uses_of(rebuilt: Rebuilt) -> dict[str, Uses]:
    """Map each exercise to what it uses of the cells that run before it is asked."""
    found, symbols = {}, frozenset(rebuilt.symbols.values())
    for place, piece in enumerate(rebuilt.pieces):
        if piece.run and is_grade(piece):
            before = rebuilt.pieces[:place]
            names = needed_by(before, piece.run.symbol, symbols)
            found[piece.run.exercise] = Uses(_statements(before, names), tuple(names))
    return found


def _statements(pieces: tuple[Piece, ...], names: list[str]) -> dict[int, tuple[Statement, ...]]:
    wanted, found = frozenset(names), {}
    for place, piece in enumerate(pieces):
        statements = tuple(one for one in piece.code.statements if one.binds & wanted)
        if statements and piece.always_runs and piece.run and piece.run.kind != "setup":
            found[place] = statements
    return found
