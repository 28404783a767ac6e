"""Which release a notebook was made from: nbgrader's checksums and our cells' ids follow from the lesson's text.

A student changes neither: a checksum stays in the metadata of the cell that was handed out, whatever is written into
the cell, and an id that is made from a text or a demo names just that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from course_lib.checking.formatting import printable

#: how `course build` calls a cell by its content; an editor calls new ones otherwise
_BY_CONTENT = re.compile(r"(markdown|code)-[0-9a-f]{10}(-\d+)?")


class Release:
    """A lesson as it is built.

    Args:
        cells: of the notebook that is released.
    """

    def __init__(self, cells: Iterable[Mapping[str, Any]]) -> None:
        self._checksums, self._ids = _marks(cells)

    def remark(self, cells: Iterable[Mapping[str, Any]]) -> str:
        """What tells a notebook from this release; nothing where it may well be of it.

        Args:
            cells: of a notebook that anybody may have written.
        """
        checksums, ids = _marks(cells)
        # a notebook that has lost all of them came through some other program, and says nothing
        others = [name for name, checksum in self._checksums.items() if checksums and checksums.get(name) != checksum]
        others += [name for name in checksums if name not in self._checksums]
        if not others and not ids - self._ids:
            return ""
        what = f"cell {printable(others[0][:60])!r}" if others else "a cell of text or a demo"
        return f"made from another release than the one built now: {what} is not the same"


def _marks(cells: Iterable[Mapping[str, Any]]) -> tuple[dict[str, str], set[str]]:
    """The checksums by the names of their cells, and the ids that follow from content."""
    cells = list(cells)
    ids = {said for cell in cells if isinstance(said := cell.get("id"), str) and _BY_CONTENT.fullmatch(said)}
    return dict(_checksums(cells)), ids


def _checksums(cells: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    for cell in cells:
        metadata = cell.get("metadata")
        about = metadata.get("nbgrader") if isinstance(metadata, Mapping) else None
        name, checksum = (about.get("grade_id"), about.get("checksum")) if isinstance(about, Mapping) else ("", "")
        if isinstance(name, str) and isinstance(checksum, str) and name and checksum:
            yield name, checksum
