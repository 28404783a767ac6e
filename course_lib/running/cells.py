"""Recognise the kinds of cells in a lesson's notebook by the metadata that the build adds."""

from __future__ import annotations

from typing import Any, Literal

from course_lib.running.cell import CellKind

Notebook = Any

ADDED = "added"  #: the tag of a cell that the student added


def grade_id(cell: Notebook) -> str:
    """Return nbgrader's name for a cell; empty if it has none."""
    return str(cell.get("metadata", {}).get("nbgrader", {}).get("grade_id", ""))


def kind_of(cell: Notebook) -> CellKind | Literal["written", "prose"]:
    """Return the kind of a lesson's cell, from nbgrader's metadata and the tags that the build adds."""
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
    """Return the exercise that a grade cell checks."""
    return grade_id(cell).removeprefix("check-")
