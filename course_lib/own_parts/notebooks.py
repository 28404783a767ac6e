"""Where a student's notebooks lie: beside each other, or each in a folder of its lesson's name."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def find_notebooks(start: Path, lessons: Iterable[str]) -> tuple[Path, dict[str, Path]]:
    """The folder that holds most of a student's notebooks, and the notebooks by lesson.

    A notebook runs in its own folder: the others are one step up and down again. In a terminal one
    stands in the folder above, or at the root of the course.

    Args:
        start: a folder.
        lessons: names of lessons, as ``"03_self_attention"``.
    """
    start, lessons = start.resolve(), tuple(lessons)
    places = (start.parent, start, start / "notebooks")
    found = [(place, notebooks_in(place, lessons)) for place in places]
    return max(found, key=lambda one: len(one[1]))  # of equals, the first


def notebooks_in(folder: Path, lessons: Iterable[str]) -> dict[str, Path]:
    """The notebooks of lessons in a folder, or each in a folder of its own there, by lesson."""
    notebooks = {}
    for lesson in lessons:
        name = f"{lesson}.ipynb"
        path = next((p for p in (folder / lesson / name, folder / name) if p.is_file()), None)
        if path is not None:
            notebooks[lesson] = path
    return notebooks
