"""Find the cell that defines each exercise in a rebuilt notebook."""

from __future__ import annotations

from course_lib.checking.left_over import left_over_sentence
from course_lib.rebuilding.piece import Piece, is_grade
from course_lib.rebuilding.rebuild import Rebuilt


def asked_pieces(rebuilt: Rebuilt) -> dict[str, Piece]:
    """Map each exercise to the piece whose definition is checked. Leave out exercises that no piece defines."""
    found, defining = {}, dict[str, Piece]()
    for piece in rebuilt.pieces:
        if piece.run and is_grade(piece) and piece.run.symbol in defining:
            found[piece.run.exercise] = defining[piece.run.symbol]
        elif piece.always_runs:
            defining |= {symbol: piece for symbol in rebuilt.symbols.values() if piece.code.defines(symbol)}
    return found


def left_over_sentences(rebuilt: Rebuilt) -> dict[str, str]:
    """Map exercises to the sentence about a `raise NotImplementedError()` that was left next to written code."""
    pieces = asked_pieces(rebuilt)
    found = {
        exercise: left_over_sentence(piece.code.tree, rebuilt.symbols[exercise]) for exercise, piece in pieces.items()
    }
    return {exercise: sentence for exercise, sentence in found.items() if sentence}
