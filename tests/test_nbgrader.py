"""nbgrader is the system of record: its own programs read what the course builds, and agree on every score."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import nbformat
import pytest
from conftest import LESSON, require, share_hidden_keys

from autograder.demo.classroom import Student, hand_in, students
from autograder.grading.secret import draws
from autograder.records.archive import Archive
from course_lib.course import Course
from course_lib.running.cells import kind_of

CHOSEN = ("right_1", "scale_forgotten", "softmax_overflows", "nobody_to_look_at", "untouched", "patches_comparisons")
CRASHES = "crashes"


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def root(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of its own, with a class that has handed in."""
    require("bwrap")
    folder = tmp_path_factory.mktemp("a course")
    for name in ("course.toml", "nbgrader_config.py"):
        shutil.copy(course.root / name, folder)
    for name in ("lessons", "solutions", "notebooks"):
        shutil.copytree(course.root / name, folder / name)
    released = nbformat.read(course.student_notebook(LESSON), as_version=nbformat.NO_CONVERT)
    by_name: Mapping[str, Student] = {student.name: student for student in students()}
    for name in (*CHOSEN, CRASHES):
        path = folder / "class/submitted" / name / LESSON / f"{LESSON}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(hand_in(by_name[name], released))
    share_hidden_keys(folder)
    return folder


@pytest.fixture(scope="module")
def ours(root: Path) -> dict[str, float]:
    """The scores that `course grade` gives, in a class folder of its own but with the same secret."""
    (root / "ours").mkdir()
    shutil.copy(root / "class/secret.key", root / "ours")
    (root / "ours/keys").symlink_to((root / "class/keys").readlink())
    arguments = ["--submissions", "class/submitted", "--class", "ours", "--json", "results.json"]
    done = run(root, "course_lib.app", "grade", LESSON, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return {g["student"]: g["score"] for g in json.loads((root / "results.json").read_text())}


@pytest.fixture(scope="module")
def theirs(root: Path, ours: dict[str, float]) -> dict[str, float]:
    """The scores in nbgrader's export, after `nbgrader autograde` with the shipped configuration."""
    for arguments in (
        ("generate_assignment", LESSON, "--force"),
        ("autograde", LESSON, "--create"),
        ("export", "--to", "scores.csv"),
    ):
        done = run(root, "nbgrader", *arguments)
        assert done.returncode == 0, done.stdout + done.stderr
    with (root / "scores.csv").open() as file:
        return {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}


def test_nbgrader_autograde_gives_the_same_scores(ours: dict[str, float], theirs: dict[str, float]) -> None:
    assert ours.keys() == theirs.keys() == {*CHOSEN, CRASHES}
    assert {name: pytest.approx(score) for name, score in ours.items()} == theirs
    assert theirs["right_1"] == 13
    assert theirs["untouched"] == theirs["patches_comparisons"] == 0
    assert 0 < theirs["scale_forgotten"] < 13


def test_generate_assignment_left_the_released_notebook_as_it_was(
    course: Course, root: Path, theirs: dict[str, float]
) -> None:
    assert (root / "notebooks" / LESSON / f"{LESSON}.ipynb").read_bytes() == course.student_notebook(
        LESSON
    ).read_bytes()


def test_cards_and_not_the_students_own_outputs_stand_in_what_nbgrader_keeps(
    root: Path, theirs: dict[str, float]
) -> None:
    path = root / "class/autograded/scale_forgotten" / LESSON / f"{LESSON}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    cards = [cell.outputs[0].data["text/html"] for cell in notebook.cells if kind_of(cell) == "grade"]
    assert len(cards) == 5
    assert any("nothing divides them" in card for card in cards)


def test_what_nbgrader_has_graded_course_grade_knows(
    root: Path, ours: dict[str, float], theirs: dict[str, float]
) -> None:
    assert not draws(root / "class"), "nobody was graded before"
    records = {name: Archive(root / folder).record for name, folder in (("ours", "ours"), ("theirs", "class"))}
    for student in ours:
        by_us, by_nbgrader = (record(LESSON, student) for record in records.values())
        assert by_us == by_nbgrader, "notes and digest, too"
    done = run(root, "course_lib.app", "grade", LESSON, "--submissions", "class/submitted")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(ours)} of {len(ours)} are as they were graded before" in done.stdout


@pytest.mark.slow
def test_whom_nbgrader_asks_again_it_asks_other_questions(root: Path, theirs: dict[str, float]) -> None:
    before = Archive(root / "class").record(LESSON, "scale_forgotten")
    done = run(root, "nbgrader", "autograde", LESSON, "--student", "scale_forgotten", "--force")
    assert done.returncode == 0, done.stdout + done.stderr
    assert [one["lesson"] for one in draws(root / "class")] == [LESSON]
    assert Archive(root / "class").record(LESSON, "scale_forgotten") == before
    told = run(root, "course_lib.app", "history", "scale_forgotten")
    assert told.returncode == 0 and LESSON in told.stdout


def test_nbgrader_writes_the_feedback_pages_of_the_course(root: Path, theirs: dict[str, float]) -> None:
    page = root / "class/feedback/scale_forgotten" / LESSON / f"{LESSON}.html"
    pages = []
    for arguments in (
        ("nbgrader", "generate_feedback", LESSON, "--student", "scale_forgotten"),
        ("course_lib.app", "feedback", LESSON),
    ):
        done = run(root, *arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        pages.append(page.read_text(encoding="utf-8"))
    assert "nothing divides them" in pages[0]
    assert pages[0] == pages[1]


@pytest.mark.slow
def test_a_file_that_nbgrader_cannot_read_is_recorded_and_costs_nobody_else_a_page(
    root: Path, theirs: dict[str, float]
) -> None:
    archive = Archive(root / "class")
    before = archive.record(LESSON, "scale_forgotten")
    graded = archive.autograded("scale_forgotten", LESSON)
    whole = graded.read_bytes()
    broken = [root / "class/submitted" / name / LESSON / f"{LESSON}.ipynb" for name in ("newbie", "scale_forgotten")]
    submitted = broken[1].read_bytes()
    for path in broken:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{")
        done = run(root, "nbgrader", "autograde", LESSON, "--student", path.parts[-3], "--create", "--force")
        assert done.returncode == 1
    newbie, kept = (archive.record(LESSON, name) for name in ("newbie", "scale_forgotten"))
    assert newbie and newbie["status"] == "failed" and "was cut short" in newbie["reason"]
    assert before and kept and kept["score"] == before["score"] and kept["kept"] and not kept["digest"]
    assert graded.read_bytes() == whole, "the earlier grade stays, and the notebook that it stands in"
    done = run(root, "course_lib.app", "feedback", LESSON)
    assert done.returncode == 0, done.stdout + done.stderr
    graded.unlink()
    done = run(root, "course_lib.app", "feedback", LESSON)
    assert done.returncode == 1 and "no graded notebook of scale_forgotten" in " ".join(done.stderr.split())
    graded.write_bytes(whole)
    broken[0].unlink()
    broken[1].write_bytes(submitted)


@pytest.mark.slow
@pytest.mark.slow
def test_nbgrader_grades_by_no_stale_build(root: Path, theirs: dict[str, float]) -> None:
    policy = root / "course.toml"
    text = policy.read_text(encoding="utf-8")
    policy.write_text(text.replace("[exercises.points]", "[exercises.points]\nsoftmax = 1.5"), encoding="utf-8")
    done = run(root, "nbgrader", "autograde", LESSON, "--student", "right_1", "--force")
    policy.write_text(text, encoding="utf-8")
    assert done.returncode == 1 and "Run: course build" in " ".join(done.stderr.split()), done.stderr


@pytest.mark.slow
def test_nbgrader_validate_passes_the_solution(course: Course, tmp_path: Path) -> None:
    shutil.copy(course.solution_notebook(LESSON), tmp_path)
    done = run(tmp_path, "nbgrader", "validate", f"{LESSON}.ipynb")
    assert "Success! Your notebook passes all the tests" in done.stdout, done.stdout + done.stderr  # it exits 0 always
