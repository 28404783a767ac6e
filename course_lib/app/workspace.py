"""The student's workspace: a folder with START_HERE and the lessons' notebooks, which `course start` fills."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from course_lib import beside_notebook
from course_lib.contents import public_lessons
from course_lib.course import START, CourseError, course_here, find_course
from course_lib.extensions import extension_folders
from course_lib.older_text import has_older_text
from course_lib.own_notebooks import notebook_in, notebook_of
from course_lib.rebuilding.released import NOTEBOOKS, Notebook, unedited_notebook
from course_lib.suggestion import suggestion


@dataclass(frozen=True)
class Placed:
    """A lesson's notebook in a workspace after it was filled.

    Attributes:
        new: whether the notebook didn't exist before.
        saved: whether somebody has saved it since it was copied.
        updated: whether it existed, but nobody had saved it since it was copied, and now has a newer text.
        older: whether it existed and stays unchanged, with cells of an earlier release that have changed since.
    """

    notebook: Path
    new: bool
    saved: bool = False
    updated: bool = False
    older: bool = False


#: the digest of each lesson's notebook as it was copied, in a workspace
COPIED = beside_notebook.FOLDER / "copied.json"


def workspace_of(folder: Path) -> Path | None:
    """Return the workspace that a folder is, or that contains it in a lesson's folder; otherwise None."""
    if (folder / f"{START}.ipynb").is_file():
        return folder
    here = folder.resolve()
    for inner, outer in pairwise((here, *here.parents)):
        if (outer / f"{START}.ipynb").is_file() and notebook_in(outer, inner.name):
            return outer
    return None


def notebooks_folder() -> Path:
    """Return the folder to work in: the current workspace, or else the course's notebooks.

    Raises:
        CourseError: neither exists.
    """
    folder = workspace_of(Path()) or _of_the_checkout()
    if folder is None:
        raise CourseError(
            f"There are no notebooks here: no {START}.ipynb. Make a folder for the course, change into it, and run: "
            "course start"
        )
    return folder


def own_notebooks_folder() -> Path:
    """Return the same for a command that runs notebooks and stores points, but use a checkout only from inside it.

    Raises:
        CourseError: neither exists, or the checkout is elsewhere.
    """
    folder = notebooks_folder()
    if workspace_of(Path()) is None and not Path.cwd().resolve().is_relative_to(folder.parent):
        raise CourseError(
            f"There are no notebooks here: no {START}.ipynb. To put them here, run: course start. Or name the folder "
            f"that you mean, such as {folder}."
        )
    return folder


def find_from_here(path: Path) -> Path:
    """Find a notebook by its lesson, or by its path from the current folder or from the folder with the notebooks.

    Raises:
        CourseError: it is a lesson whose notebook isn't here, or nothing of that name.
    """
    if (notebook := path / f"{path.name}.ipynb").is_file():  # a lesson's own folder
        return notebook
    if path.exists():
        return path
    lesson = lesson_called(str(path))
    if lesson:
        folder = own_notebooks_folder()
        if found := notebook_at(lesson):
            return found
        raise CourseError(f"There is no notebook of {lesson} in {folder.resolve()}. If it is released: course start")
    with contextlib.suppress(CourseError):
        if (inside := own_notebooks_folder() / path).exists():
            return inside
    if path.suffix or len(path.parts) > 1:
        return path
    near = suggestion(str(path), [lesson.name for lesson in public_lessons()]) or "."
    raise CourseError(f"There is no file, folder or lesson called {str(path)!r}{near} To list lessons: course lessons")


def lesson_called(name: str) -> str:
    """Return the full name of a lesson from its name or its number, such as "03"; empty if there is none."""
    return next((lesson.name for lesson in public_lessons() if name in (lesson.name, lesson.number)), "")


def notebook_at(lesson: str) -> Path | None:
    """Return a lesson's notebook in the workspace or the course, in which extensions come first; None if it is missing.

    Raises:
        CourseError: there is neither a workspace nor a course.
    """
    here, checkout = notebooks_folder(), _of_the_checkout()
    in_checkout = checkout is not None and here.resolve() == checkout.resolve()
    homes = [extension / "notebooks" for extension in extension_folders()] if in_checkout else []
    return next(filter(None, (notebook_in(home, lesson) for home in (*homes, here))), None)


def _of_the_checkout() -> Path | None:
    """Return the notebooks folder of the current course, or of this checkout."""
    course = course_here()
    folder = course.root / "notebooks" if course else None
    return folder if folder and folder.is_dir() else None


def fill(folder: Path) -> Iterator[Placed]:
    """Copy START_HERE and every lesson, as released, into a folder. A notebook that was saved stays unchanged.

    Raises:
        CourseError: this library came without notebooks, or the folder is where they come from, is inside a lesson of
            a workspace, or can't be written to.
    """
    source, extended = NOTEBOOKS, []
    of_a_checkout = not source.is_dir()
    if of_a_checkout:
        source = _of_the_checkout() or notebooks_folder()
        extended = [extension / "notebooks" for extension in extension_folders()]
    if source.resolve() == folder.resolve():
        raise CourseError(f"{folder.resolve()} is where the notebooks come from. Choose another folder.")
    workspace = workspace_of(folder)
    if workspace and workspace.resolve() != folder.resolve():
        raise CourseError(
            f"{folder.resolve()} is inside a lesson of {workspace}, where your notebooks are. Choose that folder."
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / f"{START}.ipynb", folder / f"{START}.ipynb")  # it contains nobody's work
        copied = beside_notebook.read(folder / COPIED)
        lessons = {p.name: p for each in (source, *extended) for p in each.glob("[0-9][0-9]_*") if p.is_dir()}
        for _, lesson in sorted(lessons.items()):
            notebook = notebook_in(folder, lesson.name) or folder / notebook_of(lesson.name)
            before = _digest(notebook) if notebook.exists() else None
            if before and lesson.name not in copied and _is_unedited(notebook, lesson, of_a_checkout):
                copied[lesson.name] = before  # somebody copied it by hand
            write = before is None or before == copied.get(lesson.name)
            for path in sorted(lesson.rglob("*")):
                target = notebook.parent / path.relative_to(lesson)
                if _of_the_course(path.relative_to(lesson)) and path.is_file() and (write or path.suffix != ".ipynb"):
                    target.parent.mkdir(parents=True, exist_ok=True)
                    if of_a_checkout and path == source / notebook_of(lesson.name):  # somebody may have worked in it
                        target.write_text(_text_of(unedited_notebook(lesson.name)), encoding="utf-8")
                    else:
                        shutil.copyfile(path, target)
            if write:
                copied[lesson.name] = _digest(notebook)
                yield Placed(notebook, new=before is None, updated=before not in (None, copied[lesson.name]))
            else:
                older = has_older_text(notebook, lesson / f"{lesson.name}.ipynb")
                yield Placed(notebook, new=False, saved=True, older=older)
        beside_notebook.write(folder / COPIED, copied)
    except OSError as error:
        raise CourseError(f"{folder} cannot be written to: {error.strerror or error}. Choose another folder.") from None


def _is_unedited(notebook: Path, lesson: Path, of_a_checkout: bool) -> bool:
    """Return whether a notebook is as students receive it now.

    Args:
        lesson: the folder that it would be copied from.
    """
    if of_a_checkout:
        return notebook.read_text(encoding="utf-8", errors="replace") == _text_of(unedited_notebook(lesson.name))
    released = lesson / f"{lesson.name}.ipynb"
    return released.is_file() and _digest(notebook) == _digest(released)


def _digest(notebook: Path) -> str:
    return hashlib.sha256(notebook.read_bytes()).hexdigest()


def _text_of(notebook: Notebook) -> str:
    """Return the content of a notebook's file as the course writes it, byte for byte."""
    import nbformat

    return str(nbformat.writes(nbformat.from_dict(notebook), version=nbformat.NO_CONVERT)) + "\n"


def show_map(folder: Path) -> None:
    """Put the current map into a workspace's START_HERE, so that students see their progress before running a cell.

    The course's own START_HERE stays without outputs. A file that can't be read or written stays unchanged, because
    its cell shows the same map.
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
                cell.outputs = [nbformat.v4.new_output("display_data", data)]  # the cell counts as not run
        NotebookNotary().sign(notebook)  # JupyterLab shows the outputs of a signed notebook like its own
        nbformat.write(notebook, file)


def _of_the_course(path: Path) -> bool:
    """Whether a file belongs to the course, and isn't something that working in the folder created."""
    return path.suffix != ".py" and not any(part.startswith(".") for part in path.parts)
