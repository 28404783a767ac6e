"""Match a student's cells with the released cells, even if a cell has lost its name, its id or its kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from course_lib.rebuilding.code import asked_in
from course_lib.rebuilding.theirs import Theirs
from course_lib.running.cells import exercise_of, grade_id, kind_of

Notebook = Any

_SHORTEST = 40  #: the fewest characters of released prose to search for inside a student's cell


@dataclass
class Matched:
    """The match between a student's cells and the released cells.

    Attributes:
        place: the index of the matching released cell, by the number of the student's cell.
        copies: the same for cells that are extra copies of a released cell.
    """

    place: dict[int, int] = field(default_factory=dict)
    copies: dict[int, int] = field(default_factory=dict)

    @property
    def taken(self) -> set[int]:
        """The indices of the released cells that are in the student's notebook."""
        return set(self.place.values())


def match(released: Notebook, theirs: Sequence[Theirs], symbols: Mapping[str, str]) -> Matched:
    """Match by nbgrader's name, by id, by source, and by the content of the source, in this order."""
    matched = Matched()
    _by_name(matched, released, theirs, symbols)
    for test in (_same, _holds):
        for cell in theirs:
            if cell.number in matched.place or cell.number in matched.copies or cell.blank:
                continue
            taken = matched.taken
            free = (i for i in range(len(released["cells"])) if i not in taken)
            found = next((i for i in free if test(released["cells"][i], cell)), None)
            if found is not None:
                matched.place[cell.number] = found
    _by_definition(matched, released, theirs, symbols)
    return matched


def _by_name(matched: Matched, released: Notebook, theirs: Iterable[Theirs], symbols: Mapping[str, str]) -> None:
    """Match cells by name. If several share a name, the first with work in it matches and the others are copies."""
    place = {name: i for i, cell in enumerate(released["cells"]) for name in (grade_id(cell), cell["id"]) if name}
    named: dict[int, list[Theirs]] = {}
    for cell in theirs:
        name = next((name for name in cell.names if name in place), None)
        if name is not None:
            named.setdefault(place[name], []).append(cell)
    for i, cells in named.items():
        original = released["cells"][i]
        first = next((cell for cell in cells if _has_work(original, cell, symbols)), cells[0])
        for cell in cells:
            (matched.place if cell is first else matched.copies)[cell.number] = i


def _has_work(original: Notebook, cell: Theirs, symbols: Mapping[str, str]) -> bool:
    if kind_of(original) == "exercise":
        symbol = symbols.get(grade_id(original), "")
        return cell.code.defines(symbol) and not cell.code.is_stub(symbol, original["source"])
    return not cell.blank and cell.source.strip() != original["source"].strip()


def _same(original: Notebook, cell: Theirs) -> bool:
    return bool(original["cell_type"] == cell.kind and original["source"].strip() == cell.source.strip())


def _holds(original: Notebook, cell: Theirs) -> bool:
    """Whether a nameless cell contains the released one's prose, or its call of `check` or `begin`."""
    kind = kind_of(original)
    if kind == "prose":
        prose = original["source"].strip()
        return cell.kind == "markdown" and len(prose) >= _SHORTEST and prose in cell.source
    if kind == "grade":
        return cell.kind == "code" and exercise_of(original) in asked_in(cell.code)
    return kind == "setup" and cell.kind == "code" and "\nbegin(" in cell.source


def _by_definition(matched: Matched, released: Notebook, theirs: Sequence[Theirs], symbols: Mapping[str, str]) -> None:
    """Match an exercise that has no cell yet with the first nameless cell that defines its function or class."""
    for i, original in enumerate(released["cells"]):
        symbol = symbols.get(grade_id(original), "")
        if i in matched.taken or kind_of(original) != "exercise" or not symbol:
            continue
        for cell in theirs:
            known = cell.number in matched.place or cell.number in matched.copies
            if cell.kind == "code" and not known and cell.code.defines(symbol):
                matched.place[cell.number] = i
                break
