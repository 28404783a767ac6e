"""Gradebook, table, JSON, report and feedback say the same of every submission, whatever became of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import LESSON, POINTS, TimedResult, copy_course, hand_in_to, require, run_course
from nbgrader.api import Gradebook

from autograder.demo.classroom import Student, hand_in
from course_lib.course import Course

CUT = "the file was cut short: it ends before the notebook is complete. Hand it in again"


@pytest.fixture(scope="module")
def graded(course: Course, released: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class that was graded: two are right, one handed in half a file, one a folder without a notebook."""
    require("bwrap")
    root = copy_course(course, tmp_path_factory.mktemp("graded"))
    right = hand_in(Student("right"), released)
    texts = {"right": right, "resubmits": right, "cut": right[: len(right) // 2]}
    submitted = hand_in_to(root / "class/submitted", texts)
    (submitted / "empty" / LESSON).mkdir(parents=True)
    assert verbs(root)["grade"].code == 0
    with book(root) as gradebook:
        gradebook.add_student("never_there")
    return root


def verbs(root: Path) -> dict[str, TimedResult]:
    return {
        "grade": run_course(root, "grade", "03", "--submissions", "class/submitted", "--json", "results.json"),
        "feedback": run_course(root, "feedback", "03"),
        "report": run_course(root, "report", "03"),
    }


def book(root: Path) -> Gradebook:
    return Gradebook(f"sqlite:///{root}/class/gradebook.db")


def submissions(root: Path) -> dict[str, tuple[float, bool]]:
    """What nbgrader says: the score, and whether it waits for a person."""
    with book(root) as gradebook:
        found = gradebook.submission_dicts(LESSON)
    return {one["student"]: (one["score"], bool(one["needs_manual_grade"])) for one in found}


def results(root: Path) -> dict[str, dict[str, Any]]:
    return {r["student"]: r for r in json.loads((root / "results.json").read_text(encoding="utf-8"))}


def row(table: str, student: str) -> str:
    """A student's lines of the terminal's table, as one."""
    lines = iter(table.splitlines())
    found = [next(line for line in lines if line.split()[:1] == [student])]
    found += [line for line in _until_the_next(lines)]
    return " ".join(" ".join(found).split())


def _until_the_next(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        if not line.startswith("  "):
            return
        yield line


def feedback(root: Path, student: str) -> str:
    return (root / f"class/feedback/{student}/{LESSON}/{LESSON}.html").read_text(encoding="utf-8")


def report(root: Path) -> str:
    return (root / f"class/reports/{LESSON}.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(("student", "reason"), [("cut", CUT), ("empty", f"there is no file {LESSON}.ipynb")])
def test_what_cannot_be_graded_stands_in_the_gradebook_and_waits_for_a_person(
    graded: Path, student: str, reason: str
) -> None:
    said = verbs(graded)
    assert submissions(graded)[student] == (0, True)
    assert (results(graded)[student]["score"], results(graded)[student]["reason"]) == (None, reason)
    assert f"– {reason}" in row(said["grade"].out, student)
    assert reason in feedback(graded, student)
    assert "course doctor" in feedback(graded, student)
    assert reason in report(graded)


@pytest.mark.slow
def test_points_that_a_person_gave_to_what_cannot_be_graded_are_said_everywhere(graded: Path) -> None:
    with book(graded) as gradebook:
        grade = gradebook.find_grade("check-softmax", LESSON, LESSON, "empty")
        grade.manual_score = 2
        gradebook.db.commit()
    said = verbs(graded)
    assert submissions(graded)["empty"][0] == results(graded)["empty"]["score"] == 2
    assert f"2 / {POINTS:g}" in row(said["grade"].out, "empty")
    assert f"2 / {POINTS:g}" in feedback(graded, "empty")
    assert f"2 / {POINTS:g}" in report(graded)


@pytest.mark.slow
def test_who_handed_in_nothing_at_all_is_named_in_the_report(graded: Path) -> None:
    verbs(graded)
    assert "Nothing was handed in by never_there." in report(graded)


@pytest.mark.slow
def test_a_later_file_that_cannot_be_read_costs_the_grade_or_not_and_all_say_the_same(graded: Path) -> None:
    path = graded / f"class/submitted/resubmits/{LESSON}/{LESSON}.ipynb"
    text = path.read_text(encoding="utf-8")
    settings = (graded / "course.toml").read_text()
    kept = f"the grade of an earlier file; the last one could not be graded: {CUT}"

    path.write_text(text[: len(text) // 2], encoding="utf-8")
    for _ in range(2):  # what is kept once is kept again
        said = verbs(graded)
        assert submissions(graded)["resubmits"] == (POINTS, False)
        result = results(graded)["resubmits"]
        assert (result["score"], result["status"], result["kept"], result["digest"]) == (POINTS, "graded", CUT, "")
        assert f"{POINTS:g} / {POINTS:g} {kept}" in row(said["grade"].out, "resubmits")
        assert "This is the grade of an earlier file." in feedback(graded, "resubmits")
        assert f"{POINTS:g} / {POINTS:g}" in feedback(graded, "resubmits")
        assert kept in report(graded)

    (graded / "course.toml").write_text(f'{settings}[resubmissions]\nunreadable = "none"\n')
    said = verbs(graded)
    assert submissions(graded)["resubmits"] == (0, True)
    result = results(graded)["resubmits"]
    assert (result["score"], result["status"], result["reason"], result["kept"]) == (None, "failed", CUT, "")
    assert f"– {CUT}" in row(said["grade"].out, "resubmits")
    assert CUT in feedback(graded, "resubmits")
    assert kept not in report(graded)
    assert not (graded / f"class/autograded/resubmits/{LESSON}/{LESSON}.ipynb").exists()

    path.write_text(text, encoding="utf-8")
    verbs(graded)
    assert submissions(graded)["resubmits"] == (POINTS, False)
    assert (results(graded)["resubmits"]["score"], results(graded)["resubmits"]["kept"]) == (POINTS, "")
    assert "could not be graded" not in feedback(graded, "resubmits")
    (graded / "course.toml").write_text(settings)


def test_who_is_absent_the_roster_says_first(graded: Path) -> None:
    roster = graded / "class/students.csv"
    roster.write_text("id\nright\nabsent_by_the_roster\n")
    assert run_course(graded, "report", "03", "--json", "report.json").code == 0
    assert json.loads((graded / "report.json").read_text())["absent"] == ["absent_by_the_roster"]
    roster.unlink()


def test_where_the_gradebook_has_no_grade_nobody_says_one(graded: Path) -> None:
    said = run_course(graded, "report", "03", "--gradebook", f"sqlite:///{graded}/empty.db")
    assert said.code == 0, said
    assert f"{POINTS:g} / {POINTS:g}" not in report(graded)
