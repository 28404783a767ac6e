"""Reading a notebook from disk, whoever wrote it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from course_lib.course import CourseError


def read_notebook(path: Path) -> dict[str, Any]:
    """A notebook as JSON: every source one string, every metadata a mapping.

    Raises:
        CourseError: there is none, or it cannot be read.
    """
    try:
        notebook = json.loads(path.read_text(encoding="utf-8-sig"))
        cells = [_cell(cell) for cell in notebook["cells"]]
        return {**notebook, "cells": cells, "metadata": _mapping(notebook.get("metadata"))}
    except FileNotFoundError:
        raise CourseError(f"There is no file {path}.") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise CourseError(f"{path} is no notebook: it cannot be read. Get it again, or restore a checkpoint.") from None


def _cell(cell: dict[str, Any]) -> dict[str, Any]:
    """A cell without what no tool of ours can read."""
    about = _mapping(cell.get("metadata"))
    tags = about.get("tags")
    metadata = {"tags": tags if isinstance(tags, list) else [], "nbgrader": _mapping(about.get("nbgrader"))}
    source = "".join(cell["source"]).encode("utf-8", "replace").decode()
    return {"id": str(cell.get("id", "")), "cell_type": str(cell["cell_type"]), "source": source, "metadata": metadata}


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
