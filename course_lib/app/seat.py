"""The student's seat: a folder with START_HERE and the lessons' notebooks, filled by `course start`."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from course_lib.course import START, CourseError, course_here, find_course
from course_lib.extensions import extension_folders
from course_lib.older_text import has_older_text
from course_lib.own_notebooks import notebook_in, notebook_of
from course_lib.rebuilding.released import NOTEBOOKS


@dataclass(frozen=True)
class Placed:
    """What became of a lesson's notebook in a seat.

    Attributes:
        new: whether it was put there now; otherwise it was there, and stays as it is.
        older: whether it was there, and has cells of an earlier release that this one has changed.
    """

    notebook: Path
    new: bool
    older: bool = False


def seat_of(folder: Path) -> Path | None:
    """The seat that a folder is, or in a lesson's folder of which it lies; None where it is in none."""
    if (folder / f"{START}.ipynb").is_file():
        return folder
    here = folder.resolve()
    for inner, outer in pairwise((here, *here.parents)):
        if (outer / f"{START}.ipynb").is_file() and notebook_in(outer, inner.name):
            return outer
    return None


def notebooks_folder() -> Path:
    """The folder that one works in: the seat that one is in, else that of the course.

    Raises:
        CourseError: there is neither.
    """
    folder = seat_of(Path()) or _of_the_checkout()
    if folder is None:
        raise CourseError(
            f"There are no notebooks here: no {START}.ipynb. Make a folder for the course, change into it, and run: "
            "course start"
        )
    return folder


def own_notebooks_folder() -> Path:
    """The same, for a verb that runs notebooks and notes their points: a checkout's only for whoever is in it.

    Raises:
        CourseError: there is neither, or the checkout is elsewhere.
    """
    folder = notebooks_folder()
    if seat_of(Path()) is None and not Path.cwd().resolve().is_relative_to(folder.parent):
        raise CourseError(
            f"There are no notebooks here: no {START}.ipynb. To put them here, run: course start. Or name the folder "
            f"that you mean, such as {folder}."
        )
    return folder


def find_from_here(path: Path) -> Path:
    """Look for a path in the current folder, and then in the folder with the notebooks."""
    if not path.exists():
        with contextlib.suppress(CourseError):
            if (inside := own_notebooks_folder() / path).exists():
                return inside
    return path


def notebook_at(lesson: str) -> Path | None:
    """A lesson's notebook in a seat, or in the course, where an extension's stands for ours; None where there is none.

    Raises:
        CourseError: there is neither seat nor course.
    """
    here, checkout = notebooks_folder(), _of_the_checkout()
    in_checkout = checkout is not None and here.resolve() == checkout.resolve()
    homes = [extension / "notebooks" for extension in extension_folders()] if in_checkout else []
    return next(filter(None, (notebook_in(home, lesson) for home in (*homes, here))), None)


def _of_the_checkout() -> Path | None:
    """The notebooks of the course that one is in, or of this checkout."""
    course = course_here()
    folder = course.root / "notebooks" if course else None
    return folder if folder and folder.is_dir() else None


def fill(folder: Path) -> Iterator[Placed]:
    """Put START_HERE and every lesson into a folder. A lesson's notebook that is there already stays as it is.

    Raises:
        CourseError: this library came without notebooks, or the folder is theirs, lies in a lesson of a seat or cannot
            be written to.
    """
    source, extended = NOTEBOOKS, []
    if not source.is_dir():
        source = _of_the_checkout() or notebooks_folder()
        extended = [extension / "notebooks" for extension in extension_folders()]
    if source.resolve() == folder.resolve():
        raise CourseError(f"{folder.resolve()} is where the notebooks come from. Choose another folder.")
    seat = seat_of(folder)
    if seat and seat.resolve() != folder.resolve():
        raise CourseError(
            f"{folder.resolve()} is inside a lesson of {seat}, where your notebooks are. Choose that folder."
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / f"{START}.ipynb", folder / f"{START}.ipynb")  # nobody's work is in it
        lessons = {p.name: p for each in (source, *extended) for p in each.glob("[0-9][0-9]_*") if p.is_dir()}
        for _, lesson in sorted(lessons.items()):
            notebook = notebook_in(folder, lesson.name) or folder / notebook_of(lesson.name)
            new = not notebook.exists()
            for path in sorted(lesson.rglob("*")):
                target = notebook.parent / path.relative_to(lesson)
                if _of_the_course(path.relative_to(lesson)) and path.is_file() and (new or path.suffix != ".ipynb"):
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(path, target)
            yield Placed(notebook, new, not new and has_older_text(notebook, lesson / f"{lesson.name}.ipynb"))
    except OSError as error:
        raise CourseError(f"{folder} cannot be written to: {error.strerror or error}. Choose another folder.") from None


def show_map(folder: Path) -> None:
    """Put the map of now into a seat's START_HERE, so that whoever opens it sees where they are before running a cell.

    The course's own START_HERE stays without outputs, and one that cannot be read or written stays as it is: its cell
    shows the same.
    """
    import nbformat
    from nbformat.sign import NotebookNotary

    from course_lib.journey.map import where_am_i

    file = folder / f"{START}.ipynb"
    with contextlib.suppress(CourseError):
        if file.resolve() == find_course().start_notebook.resolve():
            return
    with contextlib.suppress(OSError, ValueError, nbformat.ValidationError, sqlite3.Error):
        notebook = nbformat.read(file, as_version=4)
        found = where_am_i(folder)
        for cell in notebook.cells:
            if cell.cell_type == "code" and f"{where_am_i.__name__}()" in cell.source:
                data = {"text/plain": repr(found), "text/html": found._repr_html_()}
                cell.outputs = [nbformat.v4.new_output("display_data", data)]  # its cell counts as not run
        NotebookNotary().sign(notebook)  # JupyterLab shows what is signed as it would show what it ran
        nbformat.write(notebook, file)


def _of_the_course(path: Path) -> bool:
    """Whether it is not something that working in a folder leaves there."""
    return not any(part.startswith(".") for part in path.parts)
