"""`course reset` puts one cell back to its stub, keeps the code that was in it, and changes nothing else."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest
from conftest import run_course
from nbformat.sign import NotebookNotary

from autograder.exercises import DEFINITIONS
from course_lib.course import Course
from course_lib.journey.points import remember, remembered
from course_lib.own_notebooks import notebook_of
from course_lib.rebuilding import released
from course_lib.rebuilding.released import unedited_notebook
from course_lib.running.cells import grade_id

LESSON, EXERCISE = "07_masks", "causal_mask"
MINE = "def causal_mask(length):\n    return length  # é\n"


@pytest.fixture
def notebook(course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace's notebook with one exercise written and checked, which JupyterLab trusts."""
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "jupyter"))
    path = tmp_path / "work" / notebook_of(LESSON)
    path.parent.mkdir(parents=True)
    shutil.copy(course.student_notebook(LESSON), path)
    shutil.copy(course.start_notebook, path.parents[1])
    write(path, EXERCISE, MINE)
    remember(EXERCISE, 2.0, path.parent)
    NotebookNotary().sign(nbformat.read(path, as_version=4))
    return path


def cell_of(notebook: Any, name: str) -> Any:
    return next(cell for cell in notebook.cells if grade_id(cell) == name)


def write(path: Path, exercise: str, code: str) -> None:
    """Put code into an exercise's cell, with outputs in it and in its check."""
    notebook = nbformat.read(path, as_version=4)
    cell_of(notebook, exercise).source = code
    for name in (exercise, f"check-{exercise}"):
        cell = cell_of(notebook, name)
        cell.outputs, cell.execution_count = [nbformat.v4.new_output("stream", text="a card")], 7
    nbformat.write(notebook, path)


def reset(path: Path, exercise: str = EXERCISE) -> str:
    done = run_course(path.parents[1], "reset", exercise)
    assert done.code == 0, done.err
    return done.out


def kept_by(path: Path) -> list[str]:
    return sorted(file.read_text(encoding="utf-8") for file in path.parent.glob(f"{EXERCISE}_*.py"))


def test_only_the_cell_and_its_card_change(notebook: Path, course: Course) -> None:
    before = nbformat.read(notebook, as_version=4)
    out = reset(notebook)
    after = nbformat.read(notebook, as_version=4)
    fresh = cell_of(nbformat.read(course.student_notebook(LESSON), as_version=4), EXERCISE)
    assert cell_of(after, EXERCISE) == fresh
    assert cell_of(after, f"check-{EXERCISE}").outputs == []
    touched = (EXERCISE, f"check-{EXERCISE}")
    others = [[cell for cell in each.cells if grade_id(cell) not in touched] for each in (before, after)]
    assert others[0] == others[1] and before.metadata == after.metadata
    assert NotebookNotary().check_signature(after), "JupyterLab goes on showing the other cards"
    assert "Reload Notebook from Disk" in out and notebook_of(LESSON) in out
    assert remembered(notebook.parent)[EXERCISE] == 0


def test_the_code_is_kept_each_time(notebook: Path) -> None:
    [named] = [line for line in reset(notebook).splitlines() if "is kept in" in line]
    assert kept_by(notebook) == [MINE]
    file = named.removeprefix("Your code is kept in ").removesuffix(".")
    assert (notebook.parents[1] / file).read_text(encoding="utf-8") == MINE
    second = MINE.replace("length  #", "length + 1  #")
    write(notebook, EXERCISE, second)
    reset(notebook)  # within the same second
    assert kept_by(notebook) == sorted([MINE, second])


def test_a_cell_as_it_was_released_is_left_alone(notebook: Path) -> None:
    reset(notebook)
    before = notebook.read_bytes()
    done = run_course(notebook.parents[1], "reset", EXERCISE)
    assert done.code == 1 and "there is nothing to reset" in done.err
    assert notebook.read_bytes() == before and len(kept_by(notebook)) == 1


def test_a_cell_that_is_no_python_or_lost_its_name_is_found(notebook: Path) -> None:
    read = nbformat.read(notebook, as_version=4)
    cell = cell_of(read, EXERCISE)
    cell.source, cell.metadata = "def causal_mask(length:\n", {}
    nbformat.write(read, notebook)
    reset(notebook)
    assert "raise NotImplementedError()" in cell_of(nbformat.read(notebook, as_version=4), EXERCISE).source


def test_another_definition_is_named_and_stays(notebook: Path) -> None:
    read = nbformat.read(notebook, as_version=4)
    read.cells.insert(2, nbformat.v4.new_code_cell(MINE))
    nbformat.write(read, notebook)
    assert "Cell 3 also defines causal_mask." in reset(notebook)
    assert nbformat.read(notebook, as_version=4).cells[2].source == MINE


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("causal_maks", "did you mean 'causal_mask'? To list them all: course exercises"),
        ("xyz", "There is no exercise called 'xyz'. To list"),
        ("pad_batch", "There is no notebook of 00_the_task in "),
    ],
)
def test_what_cannot_be_reset_is_said(notebook: Path, name: str, says: str) -> None:
    before = notebook.read_bytes()
    done = run_course(notebook.parents[1], "reset", name)
    assert done.code == 1 and says in done.err and done.err.startswith("course: ")
    assert notebook.read_bytes() == before and not kept_by(notebook)


def test_a_merge_conflict_is_named_and_the_file_left_alone(notebook: Path) -> None:
    text = notebook.read_text(encoding="utf-8").replace(
        ' "cells": [', ' "cells": [\n<<<<<<< HEAD\n=======\n>>>>>>> theirs'
    )
    notebook.write_text(text, encoding="utf-8")
    done = run_course(notebook.parents[1], "reset", EXERCISE)
    assert done.code == 1 and "merge conflict" in done.err
    assert notebook.read_text(encoding="utf-8") == text


def test_the_name_that_students_define_is_enough(notebook: Path) -> None:
    entry = next(
        definition.exercise
        for definition in DEFINITIONS.values()
        if definition.exercise.lesson == LESSON and definition.exercise.symbol != definition.id
    )
    write(notebook, entry.id, f"{entry.symbol} = 1")
    assert f"The cell of {entry.symbol} in " in reset(notebook, entry.symbol)


def test_in_a_checkout_the_stub_comes_from_the_lessons_text(course: Course) -> None:
    """There, students may work in notebooks/ itself, so no file has the stub."""
    built = {grade_id(cell): cell["source"] for cell in unedited_notebook(LESSON)["cells"] if grade_id(cell)}
    handed_out = nbformat.read(course.student_notebook(LESSON), as_version=4)
    assert built == {grade_id(cell): cell.source for cell in handed_out.cells if grade_id(cell)}


def test_in_a_release_the_stub_comes_from_its_notebook(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(released, "NOTEBOOKS", course.root / "notebooks")
    monkeypatch.setattr(released, "plugins", lambda group: pytest.fail("a release has no plug-in"))
    assert unedited_notebook(LESSON)["metadata"]["course"]["lesson"] == LESSON
