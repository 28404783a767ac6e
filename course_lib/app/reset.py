"""`course reset`: put an exercise's cell back to its stub, and keep the code that was in it."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from course_lib.app.terminal import say, say_where, shown
from course_lib.app.workspace import notebook_at, own_notebooks_folder
from course_lib.contents import Entry, exercise_called, exercises_of, public_exercises
from course_lib.course import CourseError
from course_lib.journey.points import remember
from course_lib.rebuilding.matching import match
from course_lib.rebuilding.released import unedited_notebook
from course_lib.rebuilding.theirs import their_cells
from course_lib.replacing import replacing
from course_lib.running.cells import grade_id
from course_lib.running.notebook_file import UnreadableError, decode
from course_lib.running.reading import read_notebook
from course_lib.suggestion import suggestion


def reset(
    exercise: Annotated[str, typer.Argument(help="The exercise's id, such as softmax, or the name that you define.")],
) -> None:
    """Put the released code back into the cell of an exercise, so that you can start again.

    Your code is kept in a file next to the notebook, with the date in its name: nothing is lost, however often you
    reset. Only that cell and the card below it change. The points of the exercise are 0 until you check it again.

    Save the notebook first, because the command works on the file. Afterwards, load the file again in JupyterLab.

    Example: course reset softmax
    """
    entry = exercise_called(exercise)
    if entry is None:
        near = suggestion(exercise, [known for each in public_exercises() for known in (each.id, each.symbol)]) or "."
        raise CourseError(f"There is no exercise called {exercise!r}{near} To list them all: course exercises")
    folder = own_notebooks_folder()
    notebook = notebook_at(entry.lesson)
    if notebook is None:
        raise CourseError(f"There is no notebook of {entry.lesson} in {folder.resolve()}, so nothing was changed.")
    say_where(folder)
    done = put_back(notebook, entry)
    say(f"The cell of {entry.symbol} in {shown(notebook)} is as it was released. It has no points until you check it.")
    if done.kept:
        say(f"Your code is kept in {shown(done.kept)}.")
    if done.also:
        cells = f"Cell {done.also[0]} also defines" if len(done.also) == 1 else f"Cells {_list(done.also)} also define"
        say(f"{cells} {entry.symbol}. The check may judge that code, so look whether you still need it.")
    say(
        "If JupyterLab has the notebook open, click its tab and choose File, Reload Notebook from Disk. If it asks, "
        "choose Revert. If the page then looks empty, scroll up. Run the notebook's first cell if you haven't yet, "
        "then write the exercise again."
    )


@dataclass(frozen=True)
class PutBack:
    """What became of an exercise's cell.

    Attributes:
        kept: the file with the code that was in the cell; None if it was empty.
        also: the numbers of other cells that define the same name.
    """

    kept: Path | None
    also: tuple[int, ...]


def put_back(path: Path, exercise: Entry) -> PutBack:
    """Replace an exercise's cell in a notebook by the released one, and clear its check's card and points.

    Raises:
        CourseError: the notebook can't be read or written, the cell is missing, or it is as it was released.
    """
    released = unedited_notebook(exercise.lesson)["cells"]
    number, check, also = _cells(path, exercise, released)
    notebook, trusted = _open(path)
    cell = notebook.cells[number - 1]
    stub = deepcopy(next(each for each in released if grade_id(each) == exercise.id))
    stub = {**stub, "execution_count": None, "outputs": []}
    if cell.source.strip() == stub["source"].strip():
        raise CourseError(f"The cell of {exercise.symbol} in {path} is as it was released: there is nothing to reset.")
    try:
        kept = _keep(cell.source, exercise, path.parent) if cell.source.strip() else None
        stub.pop("id", None)
        notebook.cells[number - 1] = type(cell)({**stub, **({"id": cell.id} if "id" in cell else {})})
        if check:
            notebook.cells[check - 1].update(outputs=[], execution_count=None)
        _save(notebook, path, trusted)
    except OSError as error:
        raise CourseError(f"{path.parent} cannot be written to: {error.strerror or error}.") from None
    remember(exercise.id, 0.0, path.parent)
    return PutBack(kept, also)


def _cells(path: Path, exercise: Entry, released: list[Any]) -> tuple[int, int, tuple[int, ...]]:
    """Return the numbers of an exercise's cell, of its check's (0 if missing), and of others that define its name."""
    symbols = {entry.id: entry.symbol for entry in exercises_of(exercise.lesson)}
    try:
        theirs = their_cells(read_notebook(path)["cells"])
    except UnreadableError as error:
        raise CourseError(f"{path} cannot be read: {error}.") from None
    places = match({"cells": released}, theirs, symbols).place
    by_name = {grade_id(released[place]): number for number, place in places.items()}
    if exercise.id not in by_name:
        raise CourseError(
            f"{path} has no cell of {exercise.symbol}. To get a fresh notebook, move this one to another folder, and "
            "run: course start"
        )
    number = by_name[exercise.id]
    also = (each for each in theirs if each.number != number and each.kind == "code")
    defining = tuple(each.number for each in also if each.code.defines(exercise.symbol))
    return number, by_name.get(f"check-{exercise.id}", 0), defining


def _open(path: Path) -> tuple[Any, bool]:
    """Read a notebook with its outputs, and whether JupyterLab trusts them."""
    import nbformat
    from nbformat.sign import NotebookNotary

    notebook = nbformat.reads(decode(path.read_bytes())[0], as_version=4)
    with suppress(OSError, sqlite3.Error):
        return notebook, bool(NotebookNotary().check_signature(notebook))
    return notebook, False


def _save(notebook: Any, path: Path, trusted: bool) -> None:
    """Write a notebook, completely or not at all. JupyterLab trusts it if it trusted the file before."""
    import nbformat
    from nbformat.sign import NotebookNotary

    with replacing(path) as part:
        nbformat.write(notebook, part)
    with suppress(OSError, sqlite3.Error):
        if trusted:
            NotebookNotary().sign(notebook)


def _keep(code: str, exercise: Entry, folder: Path) -> Path:
    """Write code to a new file, whose name has the date and time. A number is added to a name that exists."""
    stem = f"{exercise.id}_{datetime.now():%Y-%m-%d_%H-%M-%S}"
    for suffix in ("", *(f"_{number}" for number in range(2, 100))):
        with suppress(FileExistsError), (folder / f"{stem}{suffix}.py").open("x", encoding="utf-8") as file:
            file.write(code.rstrip("\n") + "\n")
            return Path(file.name)
    raise FileExistsError(f"{stem}.py exists")


def _list(numbers: tuple[int, ...]) -> str:
    return " and ".join((", ".join(map(str, numbers[:-1])), str(numbers[-1])))
