"""Rebuild a notebook: the student's cells in the student's order, with the released cell next to each changed one.

Metadata, tags, ids, kernels, outputs and attachments of the student's file are dropped. Anything unusual is noted, but
costs nothing.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from course_lib.rebuilding.assembly import Assembly
from course_lib.rebuilding.changes import changes
from course_lib.rebuilding.code import Code, asked_in, same_code
from course_lib.rebuilding.later import asked_again
from course_lib.rebuilding.matching import match
from course_lib.rebuilding.order import in_order, waiting
from course_lib.rebuilding.piece import Piece, given_by, is_grade, needed_by
from course_lib.rebuilding.steps import steps
from course_lib.rebuilding.theirs import Theirs
from course_lib.rebuilding.written import Answer, answers
from course_lib.running.cell import Cell
from course_lib.running.cells import exercise_of, grade_id

Notebook = Any

#: the prefix of a lesson's functions with a bug to find; checking one of them doesn't check the student's work
_OURS = "mystery_"


@dataclass(frozen=True)
class Rebuilt:
    """A student's notebook in the form in which it is run and graded.

    Attributes:
        notebook: the released notebook with the student's sources, in the student's order.
        cells: its code cells, in order, with their kinds.
        later: the cells of a second run, if an exercise is defined again below its check, see `asked_again`.
        notes: anything unusual, in sentences.
        pieces: its cells, each with the student's cell that it comes from.
        symbols: the name of each exercise's function or class, by exercise id.
        answers: the answers to written questions, by nbgrader's name of the question.
        waits: the names that are defined only below an exercise's check, each with its piece, by exercise id.
    """

    notebook: Notebook
    cells: tuple[Cell, ...]
    notes: tuple[str, ...]
    pieces: tuple[Piece, ...] = field(default=(), repr=False)
    symbols: Mapping[str, str] = field(default_factory=dict)
    answers: Mapping[str, Answer] = field(default_factory=dict)
    waits: Mapping[str, list[tuple[str, Piece]]] = field(default_factory=dict)
    later: tuple[Cell, ...] = ()


def rebuild(
    released: Notebook, theirs: Sequence[Theirs], symbols: Mapping[str, str], shown: Callable[[str], str] = str
) -> Rebuilt:
    """Rebuild a student's notebook.

    Args:
        released: the notebook as it was built for students.
        theirs: the cells of the student's notebook.
        symbols: the name of each exercise's function or class, by exercise id.
        shown: a function that makes a student's prose harmless, for pages that other people open.
    """
    matched = match(released, theirs, symbols)
    found = answers(released, theirs, matched, symbols)
    assembly = Assembly(released, symbols, found, shown)
    pieces = [piece for step in steps(released, theirs, matched) for piece in assembly.pieces(*step)]
    checked = {exercise_of(released["cells"][place]) for place in matched.taken}
    checked |= _put_checks_where_they_are(pieces)
    _run_idle(pieces, symbols)
    _name_what_is_checked(pieces, symbols, assembly)
    _skip_stubs(pieces, symbols)
    waits = waiting(pieces, symbols)
    pieces = in_order(pieces, symbols, symbols.keys() - checked)
    notebook = copy.deepcopy({key: value for key, value in released.items() if key != "cells"})
    notebook["cells"] = [piece.cell for piece in pieces]
    cells = tuple(piece.run for piece in pieces if piece.run)
    named = {grade_id(released["cells"][place]): answer for place, answer in found.items()}
    notes = tuple(finding.sentence for finding in changes(pieces, symbols, named))
    later = asked_again(pieces, symbols)
    return Rebuilt(notebook, cells, notes, tuple(pieces), dict(symbols), named, waits, later)


def _put_checks_where_they_are(pieces: list[Piece]) -> set[str]:
    """If a check's own cell is missing and another cell calls that check, ask the exercise below that cell.

    Returns:
        The exercises that are checked so.
    """
    found = dict[str, Piece]()
    missing = {piece.run.exercise for piece in pieces if piece.run and is_grade(piece) and piece.mine is None}
    for piece in pieces if missing else ():
        asked = asked_in(piece.mine.code) if piece.mine and piece.mine.kind == "code" else {}
        for exercise in asked.keys() & missing:
            if not asked[exercise].startswith(_OURS) and found.setdefault(exercise, piece).mine is piece.mine:
                found[exercise] = piece  # the last piece of the first such cell
    grades = [piece for piece in pieces if piece.run and is_grade(piece) and piece.run.exercise in found]
    for grade in reversed(grades):
        assert grade.run is not None
        pieces.remove(grade)
        pieces.insert(pieces.index(found[grade.run.exercise]) + 1, grade)
        grade.mine = found[grade.run.exercise].mine
    return set(found)


def _run_idle(pieces: list[Piece], symbols: Mapping[str, str]) -> None:
    """Run code from raw and Markdown cells if a name would be missing without it, and leave out the rest."""
    idle: dict[str, list[Piece]] = {}
    for piece in pieces:
        for name in piece.code.binds if piece.idle else ():
            idle.setdefault(name, []).append(piece)
    for symbol in symbols.values():
        for name in needed_by(pieces, symbol, frozenset(symbols.values())):
            if name in idle and not _is_defined(pieces, name, symbols):
                for piece in idle.pop(name):
                    if piece.gives(name):
                        piece.wake()
    for piece in [piece for piece in pieces if piece.idle]:
        if piece.run and piece.run.kind == "exercise":
            piece.run, piece.code = replace(piece.run, source=""), Code("")
        elif piece.mine and piece.mine.kind == "raw":
            pieces.remove(piece)
        else:
            piece.run = None


def _is_defined(pieces: Sequence[Piece], name: str, symbols: Mapping[str, str]) -> bool:
    if name in symbols.values():
        return bool(given_by(pieces, name))
    return any(name in piece.code.binds for piece in pieces if piece.run and not piece.idle)


def _name_what_is_checked(pieces: list[Piece], symbols: Mapping[str, str], assembly: Assembly) -> None:
    """Ask the object that a student checks under another name, if the exercise's own name isn't defined."""
    for piece in [piece for piece in pieces if is_grade(piece) and piece.mine]:
        assert piece.run is not None and piece.mine is not None
        symbol, other = piece.run.symbol, asked_in(piece.mine.code).get(piece.run.exercise, "")
        own = other.isidentifier() and not other.startswith(_OURS) and other not in symbols.values()
        if own and not given_by(pieces, symbol) and _is_defined(pieces, other, symbols):
            pieces.insert(pieces.index(piece), assembly.named(symbol, other))


def _skip_stubs(pieces: Sequence[Piece], symbols: Mapping[str, str]) -> None:
    """Skip a released stub below the student's definition of the same name, which it would replace."""
    for symbol in symbols.values():
        given = given_by(pieces, symbol)
        for piece in pieces[given[0] + 1 :] if given else ():
            is_stub = piece.always_runs and piece.stub and piece.code.defines(symbol)
            if piece.run and is_stub and same_code(piece.run.source, piece.stub):
                piece.run, piece.code = replace(piece.run, source=""), Code("")
