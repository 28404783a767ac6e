"""Find a student's notebooks: each in a folder of its lesson's name, or all in one, next to START_HERE."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple


def notebook_of(lesson: str) -> str:
    """Return the path of a lesson's notebook, relative to the folder of all lessons."""
    return f"{lesson}/{lesson}.ipynb"


def notebook_in(folder: Path, lesson: str) -> Path | None:
    """Return a lesson's notebook in a folder of its own, or else in the folder itself; None if it is in neither.

    If there is none, it may have been begun when the lesson had another number.
    """
    if path := _named(folder, lesson):
        return path
    older = earlier_names(lesson, (path.stem for path in folder.glob("[0-9][0-9]_*")))
    return next((path for name in older if (path := _named(folder, name))), None)


def _named(folder: Path, name: str) -> Path | None:
    places = (folder / notebook_of(name), folder / f"{name}.ipynb")
    return next((path for path in places if path.is_file()), None)


#: a lesson that became two, by the names of these
_DIVIDED = {"10_search": "10_decoding", "11_your_translator": "10_decoding"}


def earlier_names(lesson: str, names: Iterable[str]) -> list[str]:
    """Return which names the lesson had before lessons were renumbered.

    Args:
        names: such as ``"12_costs"``, for the lesson ``"14_costs"``.
    """
    titles = {lesson[2:], _DIVIDED.get(lesson, lesson)[2:]}
    return sorted({name for name in names if name != lesson and name[2:] in titles})


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


def this_notebook() -> Path | None:
    """Return the path of the notebook that this kernel runs if the front end says it, as Jupyter's server does."""
    path = Path(os.environ.get("JPY_SESSION_NAME", ""))
    return path if path.suffix == ".ipynb" else None


class SavedCell(NamedTuple):
    """A code cell as it was last saved. A cell without an id has its number in the notebook instead."""

    id: str
    source: str


def saved_cells() -> list[SavedCell]:
    """Return the code cells of the file of this kernel's notebook; none if there is no file, or it can't be read."""
    with suppress(OSError, ValueError, RecursionError, LookupError, TypeError, AttributeError):
        if path := this_notebook():
            return [
                SavedCell(str(cell.get("id", number)), "".join(cell["source"]).strip())
                for number, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"])
                if cell["cell_type"] == "code"
            ]
    return []
