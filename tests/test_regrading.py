"""Grading again: what is as it was is not run again, and what is run again comes out the same."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest
from conftest import LESSON, POINTS, TimedResult, copy_course, hand_in_to, require, run_course

from autograder.demo.classroom import Student, hand_in
from autograder.grading.class_grading import _judge
from autograder.records.archive import Archive
from benchmarks.large_class import cost, fill
from course_lib.course import Course, find_course
from course_lib.running.cells import grade_id, kind_of

STUDENTS = {
    "right": Student("right"),
    "unscaled": Student("unscaled", {"scaled_dot_product_attention": "unscaled"}),
    "untouched": Student("untouched", right=False),
}


@pytest.fixture(scope="module")
def graded(course: Course, released: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class that is graded once; one of its students handed in no notebook."""
    require("bwrap")
    root = copy_course(course, tmp_path_factory.mktemp("graded"))
    submitted = hand_in_to(root / "class/submitted", {n: hand_in(s, released) for n, s in STUDENTS.items()})
    (submitted / "empty" / LESSON).mkdir(parents=True)
    assert again(root).code == 0
    return root


def again(root: Path, *arguments: str) -> TimedResult:
    return run_course(root, "grade", "03", "--submissions", "class/submitted", "--json", "results.json", *arguments)


def records(root: Path) -> dict[str, int]:
    """When each record was written."""
    return {path.stem: path.stat().st_mtime_ns for path in (root / f"class/records/{LESSON}").glob("*.json")}


def run_again(root: Path, *arguments: str) -> tuple[set[str], TimedResult]:
    """Who was run again by another grading; what that says is the same for all who were not."""
    before, results = records(root), json.loads((root / "results.json").read_text())
    ran = again(root, *arguments)
    assert ran.code == 0, ran
    after, tells = records(root), json.loads((root / "results.json").read_text())
    assert [r["student"] for r in tells] == sorted({*STUDENTS, "empty"})
    new = {student for student, when in after.items() if before[student] != when}
    assert [r for r in results if r["student"] not in new] == [r for r in tells if r["student"] not in new]
    return new, ran


def test_nothing_is_run_twice_and_the_table_is_whole(graded: Path) -> None:
    new, ran = run_again(graded)
    assert new == {"empty"}, "of what cannot be read there is no digest"
    assert "3 of 4 are as they were graded before" in ran.out
    for text in ("right", f"{POINTS:g} / {POINTS:g}", "unscaled", "nothing is written", "there is no file"):
        assert text in ran.out


def test_with_nothing_new_neither_keys_nor_a_sandbox_are_made(graded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError("there is nothing to grade")

    monkeypatch.setattr("autograder.grading.grader.lesson_keys", never)
    monkeypatch.setattr("autograder.grading.sandbox.Sandbox.begin", never)
    assert run_again(graded)[0] == {"empty"}


@pytest.mark.slow
def test_what_was_changed_is_run_again(graded: Path, released: Any) -> None:
    path = graded / "class/submitted/untouched" / LESSON / f"{LESSON}.ipynb"
    untouched = path.read_text()
    path.write_text(hand_in(STUDENTS["right"], released))
    assert run_again(graded)[0] == {"empty", "untouched"}
    assert json.loads((graded / f"class/records/{LESSON}/untouched.json").read_text())["score"] == POINTS
    path.write_text(untouched)
    assert run_again(graded)[0] == {"empty", "untouched"}


@pytest.mark.slow
def test_only_unfinished_submissions_are_run_again(
    course: Course, released: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run again what a busy machine didn't finish, but not code that only waits, because it would wait again."""
    root = copy_course(course, tmp_path)
    notebook = nbformat.reads(hand_in(Student("slow"), released), as_version=4)
    cell = next(c for c in notebook.cells if grade_id(c) == "softmax" and kind_of(c) == "exercise")
    cell.source = "import time\ndef softmax(scores, axis=-1):\n    time.sleep(600)"
    wrong = hand_in(STUDENTS["unscaled"], released)
    hand_in_to(root / "class/submitted", {"slow": nbformat.writes(notebook), "wrong": wrong, "busy": wrong})

    def judge(grader: Any, one: Any, outcome: Any) -> Any:
        return _judge(grader, one, replace(outcome, unfinished=one.student == "busy"))

    monkeypatch.setattr("autograder.grading.class_grading._judge", judge)
    assert again(root).code == 0
    found = {r["student"]: r for r in json.loads((root / "results.json").read_text())}
    assert "Run course grade again" in found["busy"]["reason"] and not found["busy"]["digest"]
    assert "waited for something" in found["slow"]["reason"] and found["slow"]["digest"]
    assert found["wrong"]["digest"]
    assert "2 of 3 are as they were graded before" in again(root).out


@pytest.mark.parametrize("workers", ["1", "2", "8"])
@pytest.mark.slow
def test_all_are_run_again_by_force_and_come_out_the_same(graded: Path, workers: str) -> None:
    results = json.loads((graded / "results.json").read_text())
    assert run_again(graded, "--force", "--workers", workers)[0] == {*STUDENTS, "empty"}
    assert json.loads((graded / "results.json").read_text()) == results


@pytest.mark.slow
def test_another_policy_gradebook_or_secret_runs_all_again(graded: Path) -> None:
    assert run_again(graded, "--gradebook", f"sqlite:///{graded}/other.db")[0] == {*STUDENTS, "empty"}
    assert run_again(graded, "--gradebook", f"sqlite:///{graded}/other.db")[0] == {"empty"}
    policy = graded / "course.toml"
    policy.write_text(policy.read_text() + "memory_mb = 1024\n")
    assert run_again(graded)[0] == {*STUDENTS, "empty"}
    (graded / "class/secret.key").write_bytes(b"another secret")
    assert run_again(graded)[0] == {*STUDENTS, "empty"}


@pytest.mark.slow
def test_a_record_without_its_grade_in_the_gradebook_is_made_again(graded: Path) -> None:
    (graded / "class/gradebook.db").unlink()
    assert run_again(graded)[0] == {*STUDENTS, "empty"}
    shutil.rmtree(graded / "class/records")
    ran = again(graded)
    assert ran.code == 1
    assert "has grades of 3 students for 03_self_attention, but" in ran.err
    assert "graders of one gradebook share the class's folder" in ran.err
    assert again(graded, "--force").code == 0
    assert records(graded).keys() == {*STUDENTS, "empty"}


def test_a_record_that_cannot_be_read_is_one_sentence(graded: Path) -> None:
    path = graded / f"class/records/{LESSON}/right.json"
    path.write_text(path.read_text()[:100])
    ran = again(graded)
    assert ran.code == 1
    assert "right.json cannot be read" in ran.err
    path.unlink()
    assert again(graded).code == 0
    assert records(graded).keys() == {*STUDENTS, "empty"}


def test_with_300_graded_and_nothing_new_an_evening_takes_little_longer_than_with_3(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = {}
    for students in (3, 300):
        folder = tmp_path / str(students)
        folder.mkdir()
        root = copy_course(course, folder)
        fill(find_course(root), Archive(root / "class"), students, course.student_notebook(LESSON).read_bytes())
        monkeypatch.chdir(root)
        _, seconds[students], _ = cost(folder, "grade", "03", "--json", "results.json")
        assert len(json.loads((root / "results.json").read_text())) == students
    assert seconds[300] < 2 * seconds[3], "processor time"
