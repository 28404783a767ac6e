"""Compute digests of a notebook's graded answers, which show whether a manual score still belongs to its answer."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nbgrader.utils import is_grade, is_solution

from autograder.grading.tags import ADDED
from autograder.records.record import Record, file_of

Notebook = Any
Cell = Any


@dataclass(frozen=True)
class Answers:
    """The answers of one submission, by nbgrader's names of the graded cells.

    Attributes:
        file: a digest of the whole file, or empty if it is unknown.
        current: a digest of each answer.
        scored: the digest of the answer that a score was given for, for each score that waits for review.
    """

    file: str = ""
    current: Mapping[str, str] = field(default_factory=dict)
    scored: Mapping[str, str] = field(default_factory=dict)


def answers_of(record: Record) -> Answers:
    """Return the answers that a record describes."""
    return Answers(file_of(record), record["answers"], record["scored"])


def answers_in(notebook: Notebook) -> dict[str, str]:
    """Compute a digest of each answer in a graded notebook."""
    return {
        cell.metadata.nbgrader.grade_id: _digest(_parts(notebook.cells, place))
        for place, cell in enumerate(notebook.cells)
        if is_grade(cell)
    }


def _parts(cells: Sequence[Cell], place: int) -> Iterator[str]:
    """Yield the text of a written answer and of the student's own cells around it, or the code of an exercise."""
    cell = cells[place]
    if is_solution(cell):
        first, last = place, place
        while first > 0 and _is_own_prose(cells[first - 1]):
            first -= 1
        while last + 1 < len(cells) and _is_own_prose(cells[last + 1]):
            last += 1
        yield from (each.source for each in cells[first : last + 1])
        return
    exercise = cell.metadata.nbgrader.grade_id.removeprefix("check-")
    asked = re.search(r",\s*(\w+)", cell.source)  # as in check("softmax", softmax)
    name = asked[1] if asked else exercise
    defines = re.compile(rf"\b(?:def|class)\s+{name}\b|^[ \t]*{name}\s*=[^=]", re.MULTILINE)
    for each in cells:
        own = each.cell_type == "code" and _is_own(each) and defines.search(each.source)
        if own or (is_solution(each) and each.metadata.nbgrader.grade_id == exercise):
            yield each.source


def _is_own(cell: Cell) -> bool:
    return ADDED in cell.metadata.get("tags", ())


def _is_own_prose(cell: Cell) -> bool:
    return cell.cell_type != "code" and _is_own(cell)


def _digest(parts: Iterator[str]) -> str:
    """Compute a digest that ignores trailing spaces, and empty lines around a text."""
    texts = ("\n".join(line.rstrip() for line in part.strip().splitlines()) for part in parts)
    return hashlib.sha256("\0".join(text for text in texts if text).encode("utf-8", "replace")).hexdigest()[:32]
