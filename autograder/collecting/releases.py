"""Which release a notebook was made from: nbgrader's checksums and our cells' ids follow from the lesson's text.

A student changes neither: a checksum stays in the metadata of the cell that was handed out, whatever is written into
the cell, and an id that is made from a text or a demo names just that.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import nbformat
from nbgrader.utils import compute_checksum, is_grade

from course_lib.checking.formatting import printable

#: how `course build` calls a cell by its content; an editor calls new ones otherwise
_BY_CONTENT = re.compile(r"(markdown|code)-[0-9a-f]{10}(-\d+)?")

#: points above these are nobody's, and too large an integer is no float
_MOST = 1e6


class Release:
    """A lesson as it is built.

    Args:
        cells: of the notebook that is released.
    """

    def __init__(self, cells: Iterable[Mapping[str, Any]]) -> None:
        cells = list(cells)
        self._checksums, self._ids = _marks(cells)
        nodes = [nbformat.from_dict({**cell, "source": "".join(cell["source"])}) for cell in cells]
        self._graded = {node.metadata.nbgrader.grade_id: node for node in nodes if is_grade(node)}

    def remark(self, cells: Iterable[Mapping[str, Any]]) -> str:
        """What tells a notebook from this release; nothing where it may well be of it.

        Other points do not make another release, because grading uses the points of now for every notebook.

        Args:
            cells: of a notebook that anybody may have written.
        """
        cells = list(cells)
        checksums, ids = _marks(cells)
        worth = dict(_points(cells))
        # a notebook that has lost all of them came through some other program, and says nothing
        others = [
            name
            for name, checksum in self._checksums.items()
            if checksums and checksums.get(name) not in (checksum, self._checksum(name, worth.get(name)))
        ]
        others += [name for name in checksums if name not in self._checksums]
        if not others and not ids - self._ids:
            return ""
        what = f"cell {printable(others[0][:60])!r}" if others else "a cell of text or a demo"
        return f"made from another release than the one built now: {what} is not the same"

    def _checksum(self, name: str, points: float | None) -> str:
        """Return the checksum that a cell of this release would have if it were worth other points."""
        if points is None or name not in self._graded:
            return self._checksums[name]
        cell = copy.deepcopy(self._graded[name])
        cell.metadata.nbgrader.points = points
        return str(compute_checksum(cell))


def _points(cells: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, float]]:
    """Yield the name and the points of every cell that says what it is worth."""
    for about in _about(cells):
        name, points = about.get("grade_id"), about.get("points")
        if isinstance(name, str) and isinstance(points, int | float) and 0 <= points <= _MOST:
            yield name, points


def _marks(cells: Iterable[Mapping[str, Any]]) -> tuple[dict[str, str], set[str]]:
    """The checksums by the names of their cells, and the ids that follow from content."""
    cells = list(cells)
    ids = {said for cell in cells if isinstance(said := cell.get("id"), str) and _BY_CONTENT.fullmatch(said)}
    return dict(_checksums(cells)), ids


def _checksums(cells: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    for about in _about(cells):
        name, checksum = about.get("grade_id"), about.get("checksum")
        if isinstance(name, str) and isinstance(checksum, str) and name and checksum:
            yield name, checksum


def _about(cells: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Yield nbgrader's metadata of every cell that has some."""
    for cell in cells:
        metadata = cell.get("metadata")
        about = metadata.get("nbgrader") if isinstance(metadata, Mapping) else None
        if isinstance(about, Mapping):
            yield about
