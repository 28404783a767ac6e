"""Read a notebook from disk, whichever program wrote it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from course_lib.course import CourseError
from course_lib.running.notebook_file import LARGEST_FILE, UnreadableError, parse_notebook


def read_notebook(path: Path) -> dict[str, Any]:
    """Read a notebook as JSON in which each source is one string and each metadata a mapping.

    Raises:
        CourseError: the file is missing, or can't be read.
    """
    try:
        with path.open("rb") as file:
            notebook = parse_notebook(file.read(LARGEST_FILE + 1)).notebook
    except FileNotFoundError:
        raise CourseError(f"There is no file {path}.") from None
    except OSError as error:
        raise CourseError(f"{path} cannot be read: {error.strerror}.") from None
    except UnreadableError as error:
        raise CourseError(f"{path} cannot be read: {error}.") from None
    try:
        cells = [_cell(cell) for cell in notebook["cells"]]
    except (KeyError, TypeError, AttributeError):
        raise CourseError(f"{path} cannot be read: it has a cell without a type or text.") from None
    return {**notebook, "cells": cells, "metadata": _mapping(notebook.get("metadata"))}


def _cell(cell: dict[str, Any]) -> dict[str, Any]:
    """Return a cell without parts that our tools can't read."""
    about = _mapping(cell.get("metadata"))
    tags = about.get("tags")
    metadata = {"tags": tags if isinstance(tags, list) else [], "nbgrader": _mapping(about.get("nbgrader"))}
    source = "".join(cell["source"]).encode("utf-8", "replace").decode()
    return {"id": str(cell.get("id", "")), "cell_type": str(cell["cell_type"]), "source": source, "metadata": metadata}


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
