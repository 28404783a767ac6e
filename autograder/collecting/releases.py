"""Recognise the release that a notebook was made from, by nbgrader's checksums and the ids of our cells.

Both are computed from the lesson's text, and a student's work changes neither. The checksum stays in the metadata of
the released cell when its source changes, and the id of a text or a demo identifies its original content.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import nbformat
from nbgrader.utils import compute_checksum, is_grade

from course_lib.checking.formatting import printable

#: the ids that `course build` computes from a cell's content. Editors use another form for new cells
_BY_CONTENT = re.compile(r"(markdown|code)-[0-9a-f]{10}(-\d+)?")

#: the most points that are believed, because a larger integer may not fit into a float
_MOST = 1e6


class Release:
    """The current release of a lesson.

    Args:
        cells: the cells of the released notebook.
    """

    def __init__(self, cells: Iterable[Mapping[str, Any]]) -> None:
        cells = list(cells)
        self._checksums, self._ids = _marks(cells)
        nodes = [nbformat.from_dict({**cell, "source": "".join(cell["source"])}) for cell in cells]
        self._graded = {node.metadata.nbgrader.grade_id: node for node in nodes if is_grade(node)}

    def remark(self, cells: Iterable[Mapping[str, Any]]) -> str:
        """Describe how a notebook differs from this release. Return an empty string if it may come from it.

        Different points do not make another release, because grading uses the current points for every notebook.

        Args:
            cells: the notebook's cells, which may contain anything.
        """
        cells = list(cells)
        checksums, ids = _marks(cells)
        worth = dict(_points(cells))
        # a notebook without any checksum went through a program that dropped them, so it proves nothing
        others = [
            name
            for name, checksum in self._checksums.items()
            if checksums
            and not _only_lost(name, checksums)
            and checksums.get(name) not in (checksum, self._checksum(name, worth.get(name)))
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


def _only_lost(name: str, checksums: Mapping[str, str]) -> bool:
    """Return whether an exercise's cell or its check is missing while the other is there, as after careless editing."""
    other = name.removeprefix("check-") if name.startswith("check-") else f"check-{name}"
    return name not in checksums and other in checksums


def _points(cells: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, float]]:
    """Yield the name and the points of every cell that declares its points."""
    for about in _about(cells):
        name, points = about.get("grade_id"), about.get("points")
        if isinstance(name, str) and isinstance(points, int | float) and 0 <= points <= _MOST:
            yield name, points


def _marks(cells: Iterable[Mapping[str, Any]]) -> tuple[dict[str, str], set[str]]:
    """Return the checksums by the names of their cells, and the ids that were computed from content."""
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
