"""What an exercise uses of a notebook: the statements that define its name, what they need, and so on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from course_lib.rebuilding.piece import Piece, is_grade, needed_by
from course_lib.rebuilding.rebuild import Rebuilt
from course_lib.rebuilding.statement import Statement


@dataclass(frozen=True)
class Uses:
    """What one exercise uses.

    Attributes:
        statements: of each piece, by its place in the notebook.
        names: the names that it needs, in the order in which they are found; the exercise's own is the first.
    """

    statements: Mapping[int, tuple[Statement, ...]] = field(default_factory=dict)
    names: tuple[str, ...] = ()


def uses_of(rebuilt: Rebuilt) -> dict[str, Uses]:
    """By exercise, what it uses of the cells that run before it is asked."""
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
