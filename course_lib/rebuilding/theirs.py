"""The cells of a student's notebook, reduced to the fields that are ever read."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from course_lib.rebuilding.code import Code, code, without_checks
from course_lib.running.notebook_file import UnreadableError
from course_lib.syntax import LONGEST_CODE, MOST_NAMES, MOST_STATEMENTS

LARGEST_SOURCE = 1_000_000  #: the most characters in a cell; a whole released notebook has about ten thousand
MOST_CELLS = 1_000
MOST_CODE = LONGEST_CODE  #: the most characters of code parsed in a notebook; more could exhaust memory

#: the start of a code cell that shows its text as Markdown, in Databricks and in Jupyter
_PROSE = re.compile(r"(?:%md(?:-sandbox)?|%%(?:markdown|md))(?:[ \t]*\n|[ \t]+|$)")
_KINDS = ("code", "markdown", "raw")


@dataclass(frozen=True)
class Theirs:
    """A cell of a student's notebook.

    Attributes:
        number: its position in the notebook, from 1.
        kind: ``code``, ``markdown`` or ``raw``.
        names: nbgrader's name and the cell's id, which identify the released cell.
        readable: whether its code may be parsed.
        released: whether a released cell has the same source.
    """

    number: int
    kind: str
    source: str
    names: tuple[str, ...] = ()
    readable: bool = True
    released: bool = False

    @cached_property
    def code(self) -> Code:
        """The analysis of its source."""
        if self.released:
            return code(self.source)  # parsed once for all submissions
        return Code(self.source if self.readable else "\0")

    @cached_property
    def to_run(self) -> str:
        """Its source without calls of `check`, `hint` and `solution`; empty if nothing is left."""
        return without_checks(self.code) if self.readable else self.source

    @property
    def blank(self) -> bool:
        """Whether it contains only whitespace."""
        return not self.source.strip()


def their_cells(cells: Iterable[Any], released: Collection[str] = frozenset()) -> list[Theirs]:
    """Return the cells in a notebook's JSON. Leave out whatever Jupyter wouldn't recognise as a cell.

    Args:
        released: the sources of the released notebook's cells.

    Raises:
        UnreadableError: there are too many cells, or a source is too long or not text.
    """
    found = list(_read(cells, released))
    if len(found) > MOST_CELLS:
        raise UnreadableError(f"the notebook has more than {MOST_CELLS:,} cells")
    return [cell for cell in found if cell.kind in _KINDS]


def _read(cells: Iterable[Any], released: Collection[str]) -> Iterator[Theirs]:
    left, statements, names = MOST_CODE, MOST_STATEMENTS, MOST_NAMES
    for number, cell in enumerate(cells, start=1):
        if not isinstance(cell, dict) or cell.get("cell_type") not in _KINDS:
            yield Theirs(number, "", "")
            continue
        source = cell.get("source", "")
        if isinstance(source, list) and all(isinstance(line, str) for line in source):
            source = "".join(source)
        if not isinstance(source, str) or len(source) > LARGEST_SOURCE:
            raise UnreadableError(f"the source of cell {number} is not text, or is longer than a million characters")
        source = source.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
        source = source.encode("utf-8", "replace").decode("utf-8")  # replaces lone surrogates
        left -= len(source)
        kind = cell["cell_type"]
        if kind == "code" and (prose := _PROSE.match(source)):
            kind, source = "markdown", source[prose.end() :]
        readable = min(left, statements, names) >= 0
        read = Theirs(number, kind, source, tuple(_names(cell)), readable, readable and source in released)
        statements, names = statements - len(read.code.statements), names - read.code.names
        yield read if min(statements, names) >= 0 else replace(read, readable=False, released=False)


def _names(cell: Mapping[str, Any]) -> Iterator[str]:
    metadata = cell.get("metadata")
    nbgrader = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    grade_id = nbgrader.get("grade_id") if isinstance(nbgrader, dict) else None
    for name in (grade_id, cell.get("id")):
        if isinstance(name, str) and name:
            yield name
