"""Recognise the text of an earlier release by its cell ids, which `course build` derives from the content."""

from __future__ import annotations

import json
import re
from pathlib import Path

#: an id that was derived from the content of a text or demo cell; the ids of cells from editors look different
_BY_CONTENT = re.compile(r"(markdown|code)-[0-9a-f]{10}(-\d+)?")


def has_older_text(notebook: Path, released: Path) -> bool:
    """Whether a notebook has a released cell that the notebook of this release lacks.

    Deleted, added and edited cells make no difference. A notebook that can't be read doesn't count as older.
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
