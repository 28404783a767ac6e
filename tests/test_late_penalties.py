"""A late penalty follows from the points as they are now, wherever somebody reads points."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import nbformat
import pytest
from conftest import LESSON, POINTS, copy_course, run_course
from gradebooks import with_points
from nbgrader.api import Gradebook

from autograder.exporting.plugins import CsvExport
from autograder.gradebook.due_dates import Late, differences
from autograder.gradebook.gradebook import Records
from autograder.records.archive import Archive
from autograder.terminal_lateness import in_words
from benchmarks.large_class import fill
from course_lib.course import Course, find_course

DUE = datetime(2026, 3, 1, 12)
ON_TIME, LATE, VERY_LATE = STUDENTS = ("student00000", "student00001", "student00002")
#: nbgrader's name of the cell that a person gives points for
CELL = "check-softmax"


@pytest.fixture
def root(course: Course, released: Any, tmp_path: Path) -> Path:
    """A graded class of three: one is on time, one is 2 days late, and one is later than `most_days`."""
    root = copy_course(course, tmp_path / "course")
    with (root / "course.toml").open("a") as file:
        file.write('[late]\npolicy = "percent_per_day"\npercent = 10\nmost_days = 5\n')
    archive = Archive(root / "class")
    fill(find_course(root), archive, 3, course.student_notebook(LESSON).read_bytes())
    nothing = with_points(released, 0.0)  # so that points by hand decide everything
    (archive.folder / "gradebook.db").unlink()
    with Records(archive.gradebook, LESSON) as records:
        records.register(released)
        for student in STUDENTS:
            records.save(student, nothing)
    for student, days in zip(STUDENTS, (0, 2, 7), strict=True):
        handed_in(root, student, DUE + timedelta(days=days))
        path = archive.autograded(student, LESSON)
        path.parent.mkdir(parents=True)
        nbformat.write(nothing, path)
    says(root, "deadlines", "03", f"{DUE:%Y-%m-%d %H:%M}")
    says(root, "grade", "03")
    assert penalties(root) == dict.fromkeys(STUDENTS, 0)
    return root


def handed_in(root: Path, student: str, time: datetime | None) -> None:
    path = root / f"class/submitted/{student}/{LESSON}/timestamp.txt"
    path.unlink(missing_ok=True)
    if time:
        path.write_text(f"{time} UTC\n")


def says(root: Path, *arguments: str) -> str:
    ran = run_course(root, *arguments)
    assert ran.code == 0, ran
    return " ".join(ran.out.split())


def by_hand(root: Path, points: float, students: tuple[str, ...] = STUDENTS, cell: str = CELL) -> None:
    """Give points as formgrader does."""
    with Gradebook(Archive(root / "class").gradebook) as book:
        for student in students:
            grade = book.find_grade(cell, LESSON, LESSON, student)
            grade.manual_score, grade.needs_manual_grade = points, False
        book.db.commit()


def penalties(root: Path) -> dict[str, float]:
    with Gradebook(Archive(root / "class").gradebook) as book:
        return {
            one.student.id: one.notebooks[0].late_submission_penalty or 0 for one in book.assignment_submissions(LESSON)
        }


def scores(path: Path) -> dict[str, tuple[str, str, str]]:
    with path.open() as file:
        return {
            row["student_id"]: (row["raw_score"], row["late_submission_penalty"], row["score"])
            for row in csv.DictReader(file)
            if row["student_id"] in STUDENTS
        }


CHANGED = f"{LESSON}: 2 students lose other points for being late by now: {LATE} 0 → 0.4, {VERY_LATE} 0 → 2."
EXPORTED = {ON_TIME: ("2", "0", "2"), LATE: ("2", "0.4", "1.6"), VERY_LATE: ("2", "2", "0")}


def test_an_export_takes_the_penalty_from_the_points_that_a_person_has_given_since(root: Path) -> None:
    by_hand(root, 2)
    assert CHANGED in says(root, "grades", "03", "--to", "grades.csv")
    assert scores(root / "grades.csv") == EXPORTED
    assert penalties(root) == pytest.approx({ON_TIME: 0, LATE: 0.4, VERY_LATE: 2})
    assert "for being late" not in says(root, "grades", "all", "--to", "grades.csv"), "nothing has changed since"
    by_hand(root, 1)
    says(root, "grades", "all", "--to", "grades.csv")
    assert scores(root / "grades.csv")[LATE] == ("1", "0.2", "0.8")


def test_the_report_and_the_feedback_page_do_so_too(root: Path) -> None:
    by_hand(root, 2)
    assert CHANGED in says(root, "report", "03", "--csv", "report.csv")
    with (root / "report.csv").open() as file:
        rows = {row["student"]: (row["points"], row["late"]) for row in csv.DictReader(file)}
    assert rows == {ON_TIME: ("2", "0"), LATE: ("1.6", "0.4"), VERY_LATE: ("0", "2")}
    by_hand(root, 3)
    said = says(root, "feedback", "03")
    assert f"2 students lose other points for being late by now: {LATE} 0.4 → 0.6, {VERY_LATE} 2 → 3." in said
    pages = {student: Archive(root / "class").feedback(student, LESSON).read_text() for student in STUDENTS}
    assert "−0.6<" in pages[LATE] and f": 2.4 / {POINTS:g}" in pages[LATE]
    assert "−3<" in pages[VERY_LATE] and f": 0 / {POINTS:g}" in pages[VERY_LATE]
    assert "Late<" not in pages[ON_TIME]


@pytest.mark.parametrize("command", ["export", "generate_feedback"])
@pytest.mark.slow
def test_nbgraders_commands_do_so_too(root: Path, command: str) -> None:
    by_hand(root, 2)
    options = ["--to", "theirs.csv"] if command == "export" else [LESSON]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", command, *options],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert penalties(root) == pytest.approx({ON_TIME: 0, LATE: 0.4, VERY_LATE: 2})
    if command == "export":
        assert CHANGED in done.stderr and scores(root / "theirs.csv") == EXPORTED
    else:
        assert "−0.4<" in Archive(root / "class").feedback(LATE, LESSON).read_text()


def test_a_policy_of_the_instructors_own_decides_then_too(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (root / "nbgrader_config.py").open("a") as file:
        file.write("c.LateSubmissionPlugin.penalty_method = 'zero'\n")
    by_hand(root, 2)
    monkeypatch.chdir(root)
    with Gradebook(Archive(root / "class").gradebook) as book:
        CsvExport(to="grades.csv").export(book)
    assert scores(root / "grades.csv") == {**EXPORTED, LATE: ("2", "2", "0")}


def test_a_policy_that_fails_is_explained_and_nothing_is_exported(root: Path) -> None:
    (root / "nbgrader_config.py").write_text("get_config().AssignLatePenalties.plugin_class = 'no.such.plugin'\n")
    by_hand(root, 2)
    for arguments in (("grades", "03", "--to", "grades.csv"), ("report", "03"), ("feedback", "03")):
        ran = run_course(root, *arguments)
        assert ran.code == 1 and "because the late policy of" in " ".join(ran.err.split()), ran
    assert not (root / "grades.csv").exists()


def test_penalties_of_every_lesson_are_brought_up_to_date(root: Path) -> None:
    """The report shows the mark across lessons, so it needs all of them."""
    other, archive = "05_positional_encoding", Archive(root / "class")
    with Gradebook(archive.gradebook) as book:
        book.update_or_create_assignment(other, duedate=DUE)
    with Records(archive.gradebook, other) as records:
        notebook = nbformat.read(find_course(root).student_notebook(other), as_version=nbformat.NO_CONVERT)
        records.register(notebook)
        records.save(LATE, with_points(notebook, 0.0), DUE + timedelta(hours=1))
    with Gradebook(archive.gradebook) as book:
        grade = book.find_submission_notebook(other, other, LATE).grades[0]
        grade.manual_score, grade.needs_manual_grade = 2, False
        book.db.commit()
    said = says(root, "report", "03")
    assert f"{other}: 1 student loses other points for being late by now: {LATE} 0 → 0.2." in said


@pytest.mark.slow
def test_grading_names_everyone_whose_penalty_changes_and_says_if_the_time_was_lost(root: Path) -> None:
    by_hand(root, 2)
    says(root, "grade", "03")
    path = root / f"class/submitted/{LATE}/{LESSON}/{LESSON}.ipynb"
    path.write_text(path.read_text() + "\n")  # another file, without a time
    handed_in(root, LATE, None)
    said = says(root, "grade", "03", "--dry-run", "--json", "changes.json")
    (late,) = [one for one in json.loads((root / "changes.json").read_text()) if one["exercise"] == "late"]
    assert (late["student"], late["old"], late["new"], late["why"]) == (
        LATE,
        -0.4,
        0,
        "the new file has no submission time",
    )
    said = says(root, "grade", "03")
    lost = f"{LATE} 0.4 → 0 (the file that was graded now has no submission time)."
    assert f"1 student loses other points for being late by now: {lost}" in said
    assert penalties(root)[LATE] == 0


def test_grading_also_updates_students_whose_submission_is_not_in_the_folder(root: Path) -> None:
    by_hand(root, 2)
    for path in (root / f"class/submitted/{LATE}/{LESSON}").iterdir():
        path.unlink()
    path.parent.rmdir()
    said = says(root, "grade", "03", "--dry-run")
    assert "2 grades change, by −2.4 points in total." in said
    said = says(root, "grade", "03")
    assert CHANGED.removeprefix(f"{LESSON}: ") in said


def test_only_changes_are_named_and_of_many_the_first_ten() -> None:
    before = {f"s{number:02}": Late(number, DUE) for number in range(13)}
    assert differences(before, before) == {}
    now = {student: Late(0.0, DUE) for student in before if student != "s05"} | {"new": Late(1.0, DUE)}
    said = in_words(differences(before, now))
    assert said.startswith("11 students lose other points for being late by now: s01 1 → 0, s02 2 → 0")
    assert said.endswith("s11 11 → 0 and 1 more.") and "s05" not in said and "new" not in said
