"""The stretch tasks of a lesson: the cells that set them, and the marks that these print."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from contextlib import redirect_stdout
from typing import Any

from course_lib.course import Course


def stretch_cell(course: Course, lesson: str, holds: str) -> str:
    """The demo cell below *Stretch* that holds a text."""
    text = (course.root / "lessons" / f"{lesson}.md").read_text(encoding="utf-8").split("\n## Stretch\n")[1]
    (found,) = [c for c in re.findall(r"```{code-cell}\n:tags: \[demo\]\n\n(.*?)\n```", text, re.DOTALL) if holds in c]
    return found


def marks(source: str, changes: Mapping[str, str], known: Mapping[str, Any]) -> list[str]:
    """The mark of each check that a cell prints, once these texts of it are replaced."""
    for old, new in changes.items():
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(source, dict(known))
    return [line[0] for line in printed.getvalue().splitlines()]


def assert_can_be_done(source: str, changes: Mapping[str, str], known: Mapping[str, Any]) -> None:
    """Untouched, some check of the cell doesn't hold; with a solution, every one does."""
    assert "✗" in marks(source, {}, known), "it is not done yet"
    assert set(marks(source, changes, known)) == {"✓"}
