"""`course hand-in` says what would cost points, and makes a small copy that is graded like the student's notebook."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import nbformat
import pytest
from conftest import TimedResult, run_course

from autograder.exercises import of_lesson
from course_lib.app import notebook_check
from course_lib.app.hand_in import EARLIER, FOLDER
from course_lib.course import Course, CourseError
from course_lib.own_notebooks import notebook_of
from course_lib.rebuilding.at_home import rebuilt_notebook
from course_lib.running.cells import grade_id

LESSON = "07_masks"


@pytest.fixture
def notebook(course: Course, tmp_path: Path) -> Path:
    """A workspace's notebook with one right exercise, one wrong one and one answer, and with outputs."""
    path = tmp_path / notebook_of(LESSON)
    path.parent.mkdir()
    shutil.copy(course.start_notebook, tmp_path)
    read = nbformat.read(course.student_notebook(LESSON), as_version=4)
    right, wrong = (definition for definition in list(of_lesson(LESSON))[:2])
    code = {right.id: right.reference.source, wrong.id: f"def {wrong.exercise.symbol}(*inputs, **named):\n    return 0"}
    written = next(grade_id(cell) for cell in read.cells if grade_id(cell).startswith("written-"))
    for cell in read.cells:
        cell.source = {**code, written: "my answer"}.get(grade_id(cell), cell.source)
        if cell.cell_type == "code":
            cell.outputs = [nbformat.v4.new_output("stream", text="much " * 1000)]
    nbformat.write(read, path)
    return path


def hand_in(notebook: Path, named: str = "07") -> TimedResult:
    return run_course(notebook.parents[1], "hand-in", named)


def test_the_copy_is_graded_like_the_notebook(notebook: Path) -> None:
    before = notebook.read_bytes()
    done = hand_in(notebook)
    assert done.code == 0 and notebook.read_bytes() == before
    copy = notebook.parents[1] / FOLDER / f"{LESSON}.ipynb"
    nbformat.validate(nbformat.read(copy, as_version=nbformat.NO_CONVERT))
    ours, theirs = rebuilt_notebook(notebook), rebuilt_notebook(copy)
    assert ours.lesson == theirs.lesson and ours.version == theirs.version
    assert [cell.source for cell in ours.rebuilt.cells] == [cell.source for cell in theirs.rebuilt.cells]
    assert [answer.source for answer in ours.rebuilt.answers.values()] == [
        answer.source for answer in theirs.rebuilt.answers.values()
    ]
    assert not any(cell.get("outputs") for cell in json.loads(copy.read_bytes())["cells"])
    assert len(copy.read_bytes()) < len(before) / 2
    # what it says
    right, wrong, *_ = of_lesson(LESSON)
    result = notebook_check.check_notebook(notebook)
    assert f"✗ {wrong.exercise.symbol} has 0 of {wrong.exercise.points:g} points" in done.out
    assert f"✗ {right.exercise.symbol}" not in done.out
    assert f"{result.score:g} of {result.max_score:g} points from the checks" in done.out
    assert "1 of 2 written questions have no answer." in done.out
    assert f"The file to hand in: {FOLDER}/{LESSON}.ipynb ({round(len(copy.read_bytes()) / 1000)} kB)." in done.out
    assert "save and run this again" in done.out


@pytest.fixture
def unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checks can't be run, as on Windows."""

    def no_runner(path: Path) -> None:
        raise CourseError("notebooks can't be run here")

    monkeypatch.setattr(notebook_check, "check_notebook", no_runner)


@pytest.mark.usefixtures("unchecked")
def test_where_checks_cannot_run_there_is_a_file_all_the_same(notebook: Path) -> None:
    done = hand_in(notebook)
    assert "○ the checks could not be run: notebooks can't be run here" in done.out
    assert (notebook.parents[1] / FOLDER / f"{LESSON}.ipynb").is_file()


@pytest.mark.usefixtures("unchecked")
def test_a_different_earlier_file_is_kept(notebook: Path) -> None:
    folder = notebook.parents[1] / FOLDER
    hand_in(notebook)
    hand_in(notebook)
    assert [file.name for file in folder.iterdir()] == [f"{LESSON}.ipynb"], "the same file needs no copy"
    first = (folder / f"{LESSON}.ipynb").read_bytes()
    notebook.write_text(notebook.read_text(encoding="utf-8").replace("my answer", "a better answer"), encoding="utf-8")
    hand_in(notebook)
    [earlier] = (folder / EARLIER).iterdir()
    assert earlier.read_bytes() == first and b"a better answer" in (folder / f"{LESSON}.ipynb").read_bytes()


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("named", ["07", LESSON, f"{LESSON}/", notebook_of(LESSON)])
def test_a_lesson_is_named_as_one_likes(notebook: Path, named: str) -> None:
    assert f"The file to hand in: {FOLDER}/{LESSON}.ipynb" in hand_in(notebook, named).out


@pytest.mark.usefixtures("unchecked")
def test_a_file_of_another_name_is_handed_in_under_the_lessons(notebook: Path) -> None:
    other = notebook.rename(notebook.with_name("final (2).ipynb"))
    done = run_course(notebook.parent, "hand-in", other.name)
    assert f"In {notebook.parents[1]}:" in done.out
    assert (notebook.parents[1] / FOLDER / f"{LESSON}.ipynb").is_file()


@pytest.mark.parametrize(
    ("named", "says"),
    [
        ("03", "There is no notebook of 03_self_attention in "),
        (
            "07_mask",
            "no file, folder or lesson called '07_mask'; did you mean '07_masks'? To list",
        ),
        ("nothing.ipynb", "There is no file nothing.ipynb."),
    ],
)
def test_what_is_not_here_is_said(notebook: Path, named: str, says: str) -> None:
    done = hand_in(notebook, named)
    assert done.code == 1 and says in done.err and not (notebook.parents[1] / FOLDER).exists()


def test_a_lesson_is_checked_by_its_number(notebook: Path) -> None:
    """Not its folder, which would give a line instead of cards."""
    right = of_lesson(LESSON)[0]
    title = f"{right.id} — {right.exercise.points:g} of {right.exercise.points:g} points"
    for named in ("07", LESSON):
        cards = run_course(notebook.parents[1], "check", named).out
        assert title in cards and f" points in {LESSON}" in cards
    assert f"{right.id} is there" in run_course(notebook.parents[1], "doctor", "07").out
