"""The sentence that a student typed in lesson 00, for the lesson in which their own translator translates it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from course_lib.course import CourseError
from course_lib.own_notebooks import find_notebooks
from course_lib.running.reading import read_notebook
from course_lib.session import is_graded
from course_lib.syntax import NOT_PYTHON, syntax_tree

LESSON, NAME = "00_the_task", "my_sentence"
GIVEN = "the soldier gives the heavy shirt to his mother"  #: what lesson 00 suggests
_LONGEST = 200


def first_sentence(folder: Path | None = None) -> str:
    """Return what ``my_sentence`` is in the student's notebook of lesson 00, or what that lesson suggests.

    The notebook is read and not run: only a text that is assigned directly counts.

    Args:
        folder: where the search for the notebook starts; by default, the current folder.
    """
    if is_graded():
        return GIVEN
    _, found = find_notebooks(folder or Path(), (LESSON,))
    if LESSON not in found:
        return GIVEN
    try:
        cells = read_notebook(found[LESSON]).get("cells", [])
    except CourseError:
        return GIVEN
    typed = [text for cell in cells if cell.get("cell_type") == "code" for text in _assigned(cell.get("source", ""))]
    return typed[-1] if typed else GIVEN


def _assigned(source: object) -> Iterator[str]:
    """Yield each text that a cell assigns to the name."""
    tree = ast.Module([], [])
    with suppress(*NOT_PYTHON):
        tree = syntax_tree("".join(source) if isinstance(source, list | str) else "")
    for node in tree.body:
        if (
            isinstance(node, ast.Assign)
            and any(isinstance(target, ast.Name) and target.id == NAME for target in node.targets)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
            and 0 < len(node.value.value.strip()) <= _LONGEST
        ):
            yield node.value.value.strip()
