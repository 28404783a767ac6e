"""Rebuilding a submission: the released notebook, with the student's sources in it and nothing else of theirs.

Metadata, tags, ids, kernels, outputs and attachments of a submission are left behind. What was
odd is noted, not punished; only what cannot be read at all fails.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import nbformat

from autograder.grading.sanitize import harmless_markdown
from autograder.grading.tags import ADDED
from course_lib.running.cell import Cell
from course_lib.running.cells import exercise_of, grade_id, kind_of
from course_lib.running.notebook_file import UnreadableError, parse_notebook

Notebook = Any

#: the released notebook has some ten thousand characters
LARGEST_SOURCE = 1_000_000
MOST_CELLS = 1_000
LONGEST_PROSE = 50_000  #: of all a student's Markdown together; turning some into HTML takes time by its square


@dataclass(frozen=True)
class Rebuilt:
    """A submission made safe to handle.

    Attributes:
        notebook: the released notebook with the student's sources.
        cells: its code cells, in order, with what is to be done with each.
        notes: what was odd.
    """

    notebook: Notebook
    cells: tuple[Cell, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Theirs:
    """A cell of the submission: the only three things that are read of it."""

    kind: str
    source: str
    names: tuple[str, ...]


def rebuild(released: Notebook, submitted: bytes, symbols: Mapping[str, str]) -> Rebuilt:
    """Rebuild a submission.

    Args:
        released: the student notebook as it was built.
        submitted: the file that came back.
        symbols: the name to be asked for, by exercise id.

    Raises:
        UnreadableError: the file is no notebook.
    """
    matched = _match(released, list(_read(submitted)))
    assembly = _Assembly(released, symbols, matched.notes)
    assembly.own(matched.added.get(-1, ()))
    for i, original in enumerate(released.cells):
        assembly.released(original, matched.taken.get(i))
        assembly.own(matched.added.get(i, ()))
    return Rebuilt(assembly.notebook, tuple(assembly.cells), tuple(assembly.notes))


@dataclass(frozen=True)
class _Matched:
    """Which released cell each of the student's is, by the released cell's place.

    Attributes:
        taken: the student's version of a released cell.
        added: cells of the student's own, by the released cell they come after; −1 for the start.
    """

    taken: dict[int, _Theirs] = field(default_factory=dict)
    added: dict[int, list[_Theirs]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def _match(released: Notebook, theirs: Sequence[_Theirs]) -> _Matched:
    """By nbgrader's name, by id, and, where a tool has renumbered the ids, by a source that is as it was."""
    place = {name: i for i, cell in enumerate(released.cells) for name in (grade_id(cell), cell.id) if name}
    named = {place[name] for cell in theirs for name in cell.names if name in place}
    same = {(c.cell_type, c.source.strip()): i for i, c in enumerate(released.cells) if i not in named}
    matched, anchor = _Matched(), -1
    for cell in theirs:
        found = next((place[name] for name in cell.names if name in place), None)
        if found is None:
            found = same.pop((cell.kind, cell.source.strip()), None)
        if found is not None and found not in matched.taken:
            matched.taken[found], anchor = cell, found
            continue
        if found is not None:
            name = _name(released.cells[found])
            matched.notes.append(f"cell {name} is there twice; the second is read as an added cell")
        matched.added.setdefault(anchor, []).append(cell)
    return matched


class _Assembly:
    """The rebuilt notebook while it is put together."""

    def __init__(self, released: Notebook, symbols: Mapping[str, str], notes: list[str]) -> None:
        self.notebook = copy.deepcopy(released)
        self.notebook.cells = []
        self.cells: list[Cell] = []
        self.notes = notes
        self._symbols = symbols
        self._count = 0
        self._prose_left = LONGEST_PROSE

    def own(self, cells: Iterable[_Theirs]) -> None:
        """Append cells of the student's own."""
        for cell in cells:
            self._count += 1
            code = cell.kind == "code"
            make = nbformat.v4.new_code_cell if code else nbformat.v4.new_markdown_cell
            new = make(cell.source if code else self._prose(cell.source), metadata={"tags": [ADDED]})
            new["id"] = f"own-{self._count}"
            self.notebook.cells.append(new)
            if code:
                self.cells.append(Cell(new.id, "own", cell.source))

    def released(self, original: Notebook, mine: _Theirs | None) -> None:
        """Append a released cell, with the student's source where it is theirs to write."""
        cell, kind = copy.deepcopy(original), kind_of(original)
        changed = mine is not None and mine.source.rstrip() != original.source.rstrip()
        if mine is None and kind in ("exercise", "written"):
            self.notes.append(f"cell {_name(original)} is missing")
            if kind == "exercise":
                cell.source = ""  # not the stub: it would hide what the student defined elsewhere
        elif mine is not None and changed and kind in ("exercise", "demo"):
            cell.source = mine.source
        elif mine is not None and changed and kind == "written":
            cell.source = self._prose(mine.source)
        elif changed and kind in ("setup", "grade"):
            self.notes.append(f"cell {_name(original)} was changed; the released one is used")
        self.notebook.cells.append(cell)
        if kind == "grade":
            exercise = exercise_of(original)
            self.cells.append(Cell(cell.id, kind, cell.source, exercise, self._symbols[exercise]))
        elif kind not in ("written", "prose"):
            self.cells.append(Cell(cell.id, kind, cell.source))  # type: ignore[arg-type]
        if mine is not None and changed and kind == "setup":
            self.own([mine])  # what runs at home runs here: a student's own imports, after ours

    def _prose(self, source: str) -> str:
        """A student's Markdown, made harmless; nothing beyond what all of it may have."""
        kept = source[: self._prose_left]
        self._prose_left -= len(kept)
        if len(kept) < len(source):
            self.notes.append(f"prose beyond {LONGEST_PROSE:,} characters is left out")
        return harmless_markdown(kept)


def _read(submitted: bytes) -> Iterator[_Theirs]:
    cells = parse_notebook(submitted).notebook["cells"]
    if len(cells) > MOST_CELLS:
        raise UnreadableError(f"the notebook has more than {MOST_CELLS:,} cells")
    for cell in cells:
        if not isinstance(cell, dict) or cell.get("cell_type") not in ("code", "markdown"):
            continue
        source = cell.get("source", "")
        if isinstance(source, list) and all(isinstance(line, str) for line in source):
            source = "".join(source)
        if not isinstance(source, str) or len(source) > LARGEST_SOURCE:
            raise UnreadableError("a cell's source is no text, or longer than a million characters")
        source = source.encode("utf-8", "replace").decode("utf-8")  # no lone surrogates
        yield _Theirs(cell["cell_type"], source, tuple(_names(cell)))


def _names(cell: Mapping[str, Any]) -> Iterator[str]:
    """What tells which released cell this is: nbgrader's name for it, else its id."""
    metadata = cell.get("metadata")
    nbgrader = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    grade_id = nbgrader.get("grade_id") if isinstance(nbgrader, dict) else None
    for name in (grade_id, cell.get("id")):
        if isinstance(name, str) and name:
            yield name


def _name(cell: Notebook) -> str:
    return repr(grade_id(cell) or cell.id)
