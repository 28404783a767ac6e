"""Describe how a notebook's layout differs from the released one, in sentences for students and graders."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from course_lib.rebuilding.finding import Finding
from course_lib.rebuilding.piece import Piece, given_by, is_grade
from course_lib.rebuilding.written import Answer
from course_lib.running.cells import grade_id, kind_of


def changes(pieces: Sequence[Piece], symbols: Mapping[str, str], answers: Mapping[str, Answer]) -> Iterator[Finding]:
    """Yield all changes: first those of cells, in order, then those of exercises and of written answers."""
    for piece in pieces:
        yield from _of_cell(piece, pieces)
    for exercise, symbol in symbols.items():
        yield from _of_exercise(exercise, symbol, pieces)
    for answer in answers.values():
        for found in answer.found:
            yield Finding(
                "note",
                f"{found.where} has text that is read as an answer to the written question",
                "It is shown at the question. Put it into the answer cell if you can.",
            )


def _of_cell(piece: Piece, pieces: Sequence[Piece]) -> Iterator[Finding]:
    """Report a cell that contains student code although students aren't meant to write in it."""
    mine, run = piece.mine, piece.run
    if run is None or mine is None or not run.source or is_grade(piece) or run.kind == "setup":
        return
    was = _released_kind(mine.number, pieces)
    if mine.kind != "code" and run.kind != "demo":
        yield Finding("note", f"cell {mine.number} is a {mine.kind} cell, but contains code", "It is run as code.")
    elif run.kind == "own" and was == "grade":
        text = f"cell {mine.number}, a check cell, also contains code of yours"
        yield Finding("note", text, "Your code is run, and then the original check.")
    elif run.kind == "own" and was == "setup":
        text = f"cell {mine.number}, the set-up cell, was changed"
        yield Finding("note", text, "The original is run first, and then yours.")


def _released_kind(number: int, pieces: Sequence[Piece]) -> str:
    """Return the kind of the released cell that a student's cell started as; empty if the student added the cell."""
    ours = (piece for piece in pieces if piece.mine and piece.mine.number == number and grade_id(piece.cell))
    return next((kind_of(piece.cell) for piece in ours), "")


def _of_exercise(exercise: str, symbol: str, pieces: Sequence[Piece]) -> Iterator[Finding]:
    """Report an exercise that no cell defines, or that several cells define."""
    given = [pieces[place] for place in given_by(pieces, symbol)]
    numbers = sorted({piece.mine.number for piece in given if piece.mine and piece.code.defines(symbol)})
    has_cell = any(piece.run and piece.run.kind == "exercise" and piece.mine for piece in _of(exercise, pieces))
    if not given and not has_cell:
        text = f"`{symbol}` is not defined anywhere, and its cell is missing"
        yield Finding("wrong", text, f"Copy the cell of `{symbol}` from a fresh notebook, and write it.", exercise)
    place = next((place for place, piece in enumerate(pieces) if piece.run and piece.run.exercise == exercise), 0)
    above = [n for n in numbers if any(p.mine and p.mine.number == n for p in pieces[:place])]
    if len(numbers) > 1 and above and not any(piece.code.extends(symbol) for piece in given):
        cells = ", ".join(map(str, numbers[:-1]))
        text = f"`{symbol}` is defined in cells {cells} and {numbers[-1]}; the one in cell {above[-1]} is graded"
        if below := [number for number in numbers if number not in above]:
            text += f", and so is the last one below the check, in cell {below[-1]}: the better one counts"
        yield Finding("note", text, "Delete the others, or give them another name.")


def _of(exercise: str, pieces: Sequence[Piece]) -> Iterator[Piece]:
    return (piece for piece in pieces if grade_id(piece.cell) == exercise)
