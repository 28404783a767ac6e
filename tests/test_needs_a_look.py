"""Right code that may have lost points is a row that needs a look, until a person gives the points or accepts them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from conftest import LESSON, run_course
from gradebooks import class_of_two
from nbgrader.api import Gradebook

from autograder.records.archive import Archive
from course_lib.course import Course

STUDENT, OTHER = "student00000", "student00001"
HIDDEN = "attention_numpy is right as far as can be seen over the mistake in softmax"
IMPORTS = "line 1 of cell 5, which `softmax` needs, imports helpers"


@pytest.fixture
def root(course: Course, tmp_path: Path) -> Path:
    """A graded class of two, in which one student's exercise may have lost points although it is right."""
    root = class_of_two(course, tmp_path)
    change(root, look=[HIDDEN])
    return root


def change(root: Path, **fields: Any) -> None:
    """Change the student's record, in which two exercises have lost all their points."""
    path = root / f"class/records/{LESSON}/{STUDENT}.json"
    record = json.loads(path.read_text()) | fields
    for name, exercise in record["exercises"].items():
        exercise["score"] = 0.0 if name in ("softmax", "attention_numpy") else exercise["max_score"]
    path.write_text(json.dumps(record))


def give(root: Path, *exercises: str) -> None:
    with Gradebook(Archive(root / "class").gradebook) as book:
        for name in exercises:
            book.find_grade(f"check-{name}", LESSON, LESSON, STUDENT).manual_score = 1.0
        book.db.commit()


def said(root: Path, *arguments: str) -> str:
    ran = run_course(root, *arguments)
    assert ran.code == 0, ran
    return " ".join(ran.out.split())


def everywhere(root: Path) -> list[str]:
    """Return what grading, the report, the export and the list of decisions say."""
    found = [said(root, "grade", "03"), said(root, "report", "03", "--csv", "report.csv")]
    return [*found, said(root, "grades", "03", "--to", "grades.csv"), said(root, "decide")]


def asks(root: Path) -> list[bool]:
    return [any(word in one.casefold() for word in ("look", "needs one")) for one in everywhere(root)]


def test_every_command_lists_it(root: Path) -> None:
    grade, report, grades, decide = everywhere(root)
    command = f"course decide STUDENT {LESSON} --accept"
    for one in (grade, report):
        assert f"because right code may have lost points: {STUDENT}." in one and command in one
    assert f"{LESSON}: {STUDENT} needs a look, because right code may have lost points: {HIDDEN}." in grades
    assert f"course decide {STUDENT} {LESSON} --accept" in grades
    assert HIDDEN[:30] in decide and "needs one" in decide
    with (root / "report.csv").open() as file:
        assert {row["student"]: row["status"] for row in csv.DictReader(file)} == {
            STUDENT: "graded, needs a look",
            OTHER: "graded",
        }


def test_accepting_settles_it_for_this_file_only(root: Path) -> None:
    change(root, look=[HIDDEN], file="ab" * 32)
    said(root, "decide", STUDENT, "03", "--accept")
    assert asks(root) == [False] * 4
    said(root, "decide", STUDENT, "03", "--wait")
    assert asks(root) == [True] * 4
    said(root, "decide", STUDENT, "03", "--accept")
    change(root, look=[HIDDEN], file="cd" * 32)
    assert asks(root) == [True] * 4, "nobody has looked at the later file"


@pytest.mark.parametrize(
    ("look", "given", "settled"),
    [
        (HIDDEN, ["attention_numpy"], True),
        (HIDDEN, ["softmax"], False),
        (IMPORTS, ["softmax"], False),
        (IMPORTS, ["softmax", "attention_numpy"], True),
    ],
)
def test_points_from_a_person_settle_it_if_they_are_for_all_that_it_concerns(
    root: Path, look: str, given: list[str], settled: bool
) -> None:
    change(root, look=[look])
    give(root, *given)
    assert asks(root) == [not settled] * 4


def test_two_versions_of_a_notebook_need_a_look_until_one_is_accepted(root: Path) -> None:
    folder = root / f"class/submitted/{STUDENT}/{LESSON}"
    (folder / "versions.txt").write_text("compare it with final.ipynb\n")
    change(root, look=[], file="ab" * 32)
    assert asks(root) == [True] * 4
    said(root, "decide", "--accept", "--all", "03")
    assert asks(root) == [True] * 4, "it is about one file, so it is accepted for itself"
    said(root, "decide", STUDENT, "03", "--accept")
    assert asks(root) == [False] * 4
    change(root, file="cd" * 32)
    assert asks(root) == [True] * 4


def test_all_doubts_about_times_are_accepted_at_once_but_not_those_about_code(root: Path) -> None:
    said(root, "deadlines", "03", "2026-03-01 12:00")
    assert "time is unknown" in said(root, "grade", "03")
    accepted = said(root, "decide", "--accept", "--all", "03", "--reason", "from GitHub")
    assert f"2 submissions of {LESSON} accepted: {STUDENT}, {OTHER}." in accepted
    assert f"1 submission still needs a decision of its own: {STUDENT}." in accepted
    grade, _, grades, decide = everywhere(root)
    assert "time is unknown" not in grade + grades and HIDDEN in grades
    assert decide.count("needs one") == 1 and "accepted (from" in decide
    assert "0 submissions" in said(root, "decide", "--accept", "--all", "03")


@pytest.mark.parametrize("arguments", [(STUDENT, "03", "--accept"), ("--wait",), ()])
def test_all_goes_only_with_accept_and_without_a_student(root: Path, arguments: tuple[str, ...]) -> None:
    ran = run_course(root, "decide", "--all", "03", *arguments)
    assert ran.code == 1 and "course decide --accept --all LESSON" in ran.err
