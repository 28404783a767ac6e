"""Decide when to ask each exercise: at its check, or as soon as everything it needs is defined.

A notebook shows the order of its cells, but not the order in which they were run. A student may have defined a helper
below the check and then run the check again. So if an exercise, or a name that it needs, is defined only further down,
the exercise waits for that definition. A definition above the check counts even if a later cell repeats it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from course_lib.rebuilding.piece import Piece, given_by, is_grade, needed_by


def in_order(pieces: Sequence[Piece], symbols: Mapping[str, str], without_check: Collection[str]) -> list[Piece]:
    """Return the pieces, with each grade cell moved to where its exercise is asked.

    Args:
        symbols: the name of each exercise's function or class, by exercise id.
        without_check: the exercises whose check is not in the student's notebook.
    """
    others = [piece for piece in pieces if not is_grade(piece)]
    asked: dict[int, list[Piece]] = {}  # keyed by the number of other pieces before them
    before = 0
    for piece in pieces:
        if piece.run is None or not is_grade(piece):
            before += 1
            continue
        exercise = piece.run.exercise
        place = asked_at(others, symbols, exercise, before, exercise in without_check)
        asked.setdefault(place, []).append(piece)
    ordered = list(asked.get(0, ()))
    for place, piece in enumerate(others, start=1):
        ordered += [piece, *asked.get(place, ())]
    return ordered


def waiting(pieces: Sequence[Piece], symbols: Mapping[str, str]) -> dict[str, list[tuple[str, Piece]]]:
    """Map each exercise to the names that it waits for, each with the piece below its check that defines it."""
    others = [piece for piece in pieces if not is_grade(piece)]
    found, before = {}, 0
    for piece in pieces:
        if piece.run is None or not is_grade(piece):
            before += 1
        elif piece.mine is not None:
            exercise = piece.run.exercise
            found[exercise] = [(n, others[at]) for n, at in defined_below(others, symbols, exercise, before)]
    return found


def asked_at(
    others: Sequence[Piece], symbols: Mapping[str, str], exercise: str, before: int, anywhere: bool = False
) -> int:
    """Return how many pieces run before an exercise is asked.

    Args:
        others: all pieces except grade cells.
        before: the number of these pieces above its check.
        anywhere: whether its check is missing, so that a later definition counts, too.
    """
    symbol = symbols[exercise]
    waits = max([before, *(place + 1 for _, place in defined_below(others, symbols, exercise, before))])
    if anywhere or waits > before:
        for place in given_by(others, symbol):
            between = others[waits:place]
            if place >= waits and not any(piece.run and piece.run.kind == "exercise" for piece in between):
                waits = place + 1
    return waits


def defined_below(
    others: Sequence[Piece], symbols: Mapping[str, str], exercise: str, before: int
) -> list[tuple[str, int]]:
    """Return the names that an exercise needs and that are first defined below its check, with the piece's index."""
    stubs = frozenset(symbols.values())
    above = {name for piece in others[:before] if piece.run for name in piece.code.binds} - stubs
    starred = any("import *" in piece.code.source for piece in others[:before] if piece.run)
    first: dict[str, int] = {}
    for place, piece in enumerate(others):
        for name in piece.code.binds if piece.always_runs else ():
            first.setdefault(name, place)
    found = []
    for name in needed_by(others, symbols[exercise], stubs):
        if name in stubs:
            places = given_by(others, name)
        elif name in above or starred:
            continue
        else:
            places = [first[name]] if name in first else []
        if places and places[0] >= before:
            found.append((name, places[0]))
    return found
