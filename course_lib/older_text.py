"""Whether a notebook's text is that of an earlier release: `course build` names each cell of text by its content."""

from __future__ import annotations

import json
import re
from pathlib import Path

#: an id that follows from the content of a cell of text or a demo; editors give new cells other ids
_BY_CONTENT = re.compile(r"(markdown|code)-[0-9a-f]{10}(-\d+)?")


def has_older_text(notebook: Path, released: Path) -> bool:
    """Whether a notebook has a released cell that the notebook of this release does not have.

    Deleted, added and edited cells make no difference, and neither does a notebook that cannot be read.
    """
    theirs, ours = _ids(notebook), _ids(released)
    return bool(ours) and bool(theirs - ours)


def _ids(notebook: Path) -> set[str]:
    try:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        ids = [cell.get("id") for cell in cells]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return set()
    return {said for said in ids if isinstance(said, str) and _BY_CONTENT.fullmatch(said)}
