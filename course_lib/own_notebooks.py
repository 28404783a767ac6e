"""Find a student's notebooks: each in a folder of its lesson's name, or all in one, next to START_HERE."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def notebook_of(lesson: str) -> str:
    """Return the path of a lesson's notebook, relative to the folder of all lessons."""
    return f"{lesson}/{lesson}.ipynb"


def notebook_in(folder: Path, lesson: str) -> Path | None:
    """Return a lesson's notebook in a folder of its own, or else in the folder itself; None if it is in neither."""
    places = (folder / notebook_of(lesson), folder / f"{lesson}.ipynb")
    return next((path for path in places if path.is_file()), None)


def notebooks_in(folder: Path, lessons: Iterable[str]) -> dict[str, Path]:
    """The notebooks of lessons in a folder, by lesson."""
    found = ((lesson, notebook_in(folder, lesson)) for lesson in lessons)
    return {lesson: path for lesson, path in found if path}


def find_notebooks(start: Path, lessons: Iterable[str]) -> tuple[Path, dict[str, Path]]:
    """The folder that holds most of a student's notebooks, and the notebooks by lesson.

    A notebook runs in its own folder: the others are one step up and down again. In a terminal, the current
    folder is the one above, or the root of the course.

    Args:
        start: a folder.
        lessons: names of lessons, as ``"03_self_attention"``.
    """
    start, lessons = start.resolve(), tuple(lessons)
    places = (start.parent, start, start / "notebooks")
    found = [(place, notebooks_in(place, lessons)) for place in places]
    return max(found, key=lambda one: len(one[1]))  # of equals, the first
