"""Find the answers to written questions, including those in another cell near the question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from course_lib.rebuilding.matching import Matched
from course_lib.rebuilding.theirs import Theirs
from course_lib.running.cells import kind_of

Notebook = Any

UNWRITTEN = "YOUR ANSWER HERE"  #: the released text of an answer cell
#: a question's heading with its points, as `course build` writes it
_WORTH = re.compile(r"\*\*Written question \((?:not graded|[\d.]+ points?(?: for an answer)?)\)\.\*\*")


@dataclass(frozen=True)
class Found:
    """A part of an answer that is not in the released answer cell.

    Attributes:
        cell: the student's cell that contains it.
        text: the student's text.
        where: a description of the cell.
    """

    cell: Theirs
    text: str
    where: str


@dataclass(frozen=True)
class Answer:
    """An answer to a written question.

    Attributes:
        text: the text in the answer cell itself; may be empty.
        found: the parts in other cells.
    """

    text: str
    found: tuple[Found, ...]

    @property
    def source(self) -> str:
        """The whole answer, with a line before each part that names its cell; empty if nothing was written."""
        parts = [self.text] if self.text else []
        for found in self.found:
            text = found.text
            if found.cell.kind == "code":
                text = "\n".join(f"    {line}" for line in text.split("\n"))
            parts.append(f"*In {found.where}:*\n\n{text}")
        return "\n\n".join(parts)


def answers(
    released: Notebook, theirs: Sequence[Theirs], matched: Matched, symbols: Mapping[str, str]
) -> dict[int, Answer]:
    """Map the index of each released answer cell to its answer."""
    by_place = {matched.place[cell.number]: cell for cell in theirs if cell.number in matched.place}
    kinds = [kind_of(cell) for cell in released["cells"]]
    found = {}
    for place, kind in enumerate(kinds):
        if kind == "written":
            own = by_place.get(place)
            text = own.source if own and _differs(own, released["cells"][place]) else ""
            elsewhere = _elsewhere(released, theirs, matched, symbols, place)
            found[place] = Answer(text, tuple(one for one in elsewhere if one.text.strip() not in ("", text.strip())))
    return found


def _elsewhere(
    released: Notebook, theirs: Sequence[Theirs], matched: Matched, symbols: Mapping[str, str], place: int
) -> Iterator[Found]:
    """Yield text from the prose around the answer cell, from cells near it and from copies, in the student's order."""
    original = released["cells"][place]
    around = _around(released, place)
    near = _near(theirs, matched, {place, place - 1} if place - 1 in around else {place})
    for cell in theirs:
        if cell.blank:
            continue
        at = matched.place.get(cell.number)
        if at in around:
            added = _added(cell.source, released["cells"][at]["source"])
            yield Found(cell, added, f"cell {cell.number}, which holds the {around[at]}")
        elif matched.copies.get(cell.number) == place:
            if _differs(cell, original):
                yield Found(cell, cell.source, f"cell {cell.number}, a copy of this cell")
        elif cell.number in near and not _is_other_work(cell, symbols):
            kind = {"code": "a code cell", "raw": "a raw cell"}.get(cell.kind, "a new cell")
            yield Found(cell, cell.source, f"cell {cell.number}, {kind} near the question")


def _around(released: Notebook, place: int) -> dict[int, str]:
    """Return the prose cells next to an answer cell with a description of each, except the next question's."""
    cells = released["cells"]
    around = {}
    if place > 0 and kind_of(cells[place - 1]) == "prose":
        around[place - 1] = "question"
    after = [kind_of(cell) for cell in cells[place + 1 : place + 3]]
    if after[:1] == ["prose"] and after[1:] != ["written"]:
        around[place + 1] = "text after the question"
    return around


def _near(theirs: Sequence[Theirs], matched: Matched, places: set[int]) -> set[int]:
    """Return the numbers of the added cells between one of the released cells and the next released cell."""
    if not places & matched.taken:  # they were deleted: look after the released cell before them
        places = {max((place for place in matched.taken if place < min(places)), default=-1)}
    near, inside = set[int](), -1 in places
    for cell in theirs:
        if cell.number in matched.place:
            inside = matched.place[cell.number] in places
        elif inside and cell.number not in matched.copies:
            near.add(cell.number)
    return near


def _is_other_work(cell: Theirs, symbols: Mapping[str, str]) -> bool:
    """Whether a cell near a question belongs to an exercise, because it defines or only checks one."""
    if cell.kind != "code":
        return False
    only_checks = cell.code.tree is not None and bool(cell.code.tree.body) and not cell.to_run
    return only_checks or any(cell.code.defines(symbol) for symbol in symbols.values())


def _differs(cell: Theirs, original: Notebook) -> bool:
    return not cell.blank and cell.source.strip() != original["source"].strip()


def _added(source: str, original: str) -> str:
    """Return the lines that the original doesn't have. Ignore points, which may have changed since the release."""
    there = {_without_worth(line) for line in original.split("\n")}
    return "\n".join(line for line in source.split("\n") if _without_worth(line) not in there).strip()


def _without_worth(line: str) -> str:
    return _WORTH.sub("**Written question.**", line.strip())
