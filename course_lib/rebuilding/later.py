"""Where a notebook defines an exercise again below its check: it is asked there, too, and the better version counts.

A student may leave a first try at its check and hand in the corrected version further down. Another may try out a wrong
version below. Nothing in the notebook says which of the two it is, so both are asked: the definition at the check, and
the last one. An exercise has no more tries than these two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from course_lib.rebuilding.piece import Piece, given_by, is_grade, needed_by
from course_lib.running.cell import Cell


def asked_again(pieces: Sequence[Piece], symbols: Mapping[str, str]) -> tuple[Cell, ...]:
    """The cells of a second run, which asks only the exercises that are defined again; empty if none is.

    Args:
        pieces: in the order in which they are run, with each grade cell where its exercise is asked first.
        symbols: the name of each exercise's function or class, by exercise id.
    """
    grades: dict[int, list[Cell]] = {}
    for place, piece in enumerate(pieces):
        if piece.run and is_grade(piece):
            last = defined_last(pieces, piece.run.symbol, frozenset(symbols.values()))
            if last > place:
                grades.setdefault(last, []).append(piece.run)
    if not grades:
        return ()
    run = [(place, piece.run) for place, piece in enumerate(pieces) if piece.run and not is_grade(piece)]
    return tuple(cell for place, one in run for cell in (one, *grades.get(place, ())))


def defined_last(pieces: Sequence[Piece], symbol: str, symbols: frozenset[str]) -> int:
    """The place of the last piece that defines an exercise, or an exercise that it builds on; -1 if there is none."""
    names = [name for name in needed_by(pieces, symbol, symbols) if name in symbols]
    return max((place for name in names for place in given_by(pieces, name)), default=-1)
