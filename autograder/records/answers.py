"""Compute digests of a notebook's graded answers, which show whether a manual score still belongs to its answer."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import nbformat
from nbgrader.utils import is_grade, is_solution

from autograder.gradebook.answers import Answers
from autograder.grading.tags import ADDED
from autograder.records.called_code import CalledCode
from autograder.records.record import Record, file_of

Notebook = Any
Cell = Any


def answers_of(record: Record) -> Answers:
    """Return the answers that a record describes."""
    return Answers(file_of(record), record["answers"], record["scored"])


def earlier_answers(record: Record | None, graded: Callable[[], bytes | None]) -> Answers:
    """Return the answers that were graded before. Read them from the graded notebook if the record has none.

    Args:
        graded: returns the content of the notebook that was graded before, or None if there is none.
    """
    found = answers_of(record) if record else Answers()
    content = None if found.current else graded()
    if content is None:
        return found
    try:
        notebook = nbformat.reads(content.decode(), as_version=nbformat.NO_CONVERT)
        nbformat.validate(notebook)
    except (ValueError, AttributeError, nbformat.ValidationError):  # the answers in an unreadable notebook are unknown
        return found
    return replace(found, current=answers_in(notebook))


def answers_in(notebook: Notebook) -> dict[str, str]:
    """Compute a digest of each answer in a graded notebook.

    An exercise's answer is the code that defines it and everything that this code calls, without comments and layout.
    """
    theirs, released = list[str](), list[str]()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            (theirs if _is_own(cell) or is_solution(cell) else released).append(cell.source)
    code = CalledCode(theirs, released)
    return {
        cell.metadata.nbgrader.grade_id: _digest(
            _written(notebook.cells, place) if is_solution(cell) else code.of(_asked(cell))
        )
        for place, cell in enumerate(notebook.cells)
        if is_grade(cell)
    }


def _written(cells: Sequence[Cell], place: int) -> Iterator[str]:
    """Yield the text of a written answer and of the student's own cells around it."""
    first, last = place, place
    while first > 0 and _is_own_prose(cells[first - 1]):
        first -= 1
    while last + 1 < len(cells) and _is_own_prose(cells[last + 1]):
        last += 1
    yield from (cell.source for cell in cells[first : last + 1])


def _asked(cell: Cell) -> str:
    """Return the name that a grade cell checks, as in ``check("softmax", softmax)``."""
    asked = re.search(r",\s*(\w+)", cell.source)
    return asked[1] if asked else cell.metadata.nbgrader.grade_id.removeprefix("check-")


def _is_own(cell: Cell) -> bool:
    return ADDED in cell.metadata.get("tags", ())


def _is_own_prose(cell: Cell) -> bool:
    return cell.cell_type != "code" and _is_own(cell)


def _digest(parts: Iterator[str]) -> str:
    """Compute a digest that ignores trailing spaces, and empty lines around a text."""
    texts = ("\n".join(line.rstrip() for line in part.strip().splitlines()) for part in parts)
    return hashlib.sha256("\0".join(text for text in texts if text).encode("utf-8", "replace")).hexdigest()[:32]
