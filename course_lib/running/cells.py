"""From a lesson's notebook to its code cells: what each cell is, by the metadata that the build gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from course_lib.running.cell import Cell, CellKind

Notebook = Any


def grade_id(cell: Notebook) -> str:
    """nbgrader's name for a cell; empty where it has none."""
    return str(cell.get("metadata", {}).get("nbgrader", {}).get("grade_id", ""))


def kind_of(cell: Notebook) -> CellKind | Literal["written", "prose"]:
    """What a cell of a lesson is, from nbgrader's metadata and the tags that the build gives."""
    about = cell.get("metadata", {}).get("nbgrader", {})
    tags = cell.get("metadata", {}).get("tags", [])
    if cell["cell_type"] != "code":
        return "written" if about.get("solution") else "prose"
    if about.get("solution"):
        return "exercise"
    if about.get("grade"):
        return "grade"
    if "setup" in tags:
        return "setup"
    return "demo" if "demo" in tags else "own"


def exercise_of(cell: Notebook) -> str:
    """The exercise that a grade cell asks."""
    return grade_id(cell).removeprefix("check-")


def code_cells(notebook: Notebook, symbols: dict[str, str]) -> Iterator[Cell]:
    """The code cells of a notebook, in order.

    Args:
        symbols: the name to be asked for, by exercise id; grade cells of other exercises are left out.
    """
    for number, cell in enumerate(notebook["cells"]):
        kind = kind_of(cell)
        name = cell.get("id") or f"cell-{number}"
        if kind == "grade":
            exercise = exercise_of(cell)
            if exercise in symbols:
                yield Cell(name, kind, cell["source"], exercise, symbols[exercise])
        elif kind not in ("written", "prose"):
            yield Cell(name, kind, cell["source"])  # type: ignore[arg-type]
