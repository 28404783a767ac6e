"""A doubt about when or whether a submission was handed in is a row that needs a look, until somebody decides."""

from __future__ import annotations

import csv
import json
import os
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from conftest import LESSON, run_course
from gradebooks import class_of_two, with_points
from nbgrader.api import Gradebook
from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from ordinary_user import USER
from traitlets.config import Config

from autograder.gradebook.gradebook import Records
from autograder.nbgrader_commands.config import configure
from autograder.records.archive import Archive
from autograder.submissions.hand_in import late_by
from course_lib.course import Course

STUDENT, OTHER = "student00000", "student00001"
TIME = datetime(2026, 3, 2, 12)


@pytest.fixture
def root(course: Course, tmp_path: Path) -> Path:
    """A graded class of two, in a lesson with a due date."""
    root = class_of_two(course, tmp_path)
    run_course(root, "deadlines", "03", "2026-03-01 12:00")
    beside(root, "timestamp.txt", "2026-03-01 11:00:00 UTC", OTHER)
    return root


def beside(root: Path, name: str, text: str, student: str = STUDENT) -> None:
    (root / f"class/submitted/{student}/{LESSON}/{name}").write_text(text)


def said(root: Path, *arguments: str) -> str:
    ran = run_course(root, *arguments)
    assert ran.code == 0, ran
    return " ".join(ran.out.split())


def row(root: Path) -> tuple[str, str]:
    """Return what the table and the results say about when and whether the student's work was handed in."""
    table = said(root, "grade", "03", "--json", "results.json")
    found = {one["student"]: one for one in json.loads((root / "results.json").read_text())}
    assert not found[OTHER]["time_note"] and not found[OTHER]["doubts"]
    return table, "; ".join([found[STUDENT]["time_note"], *found[STUDENT]["doubts"]]).removeprefix("; ")


def everywhere(root: Path) -> list[str]:
    """Return what each command prints about the student's doubts, and the pages and tables of the report."""
    found = [row(root)[0], said(root, "report", "03", "--csv", "report.csv")]
    found.append(said(root, "grades", "03", "--to", "grades.csv"))
    page = (root / f"class/reports/{LESSON}.html").read_text()
    return [*found, said(root, "decide"), page]


def timestamp(root: Path) -> datetime | None:
    with Gradebook(Archive(root / "class").gradebook) as book:
        found: datetime | None = book.find_submission(LESSON, STUDENT).timestamp
        return found


def test_a_time_that_cannot_be_read_is_reported_in_table_and_results(root: Path) -> None:
    beside(root, "timestamp.txt", "yesterday at noon")
    table, note = row(root)
    assert "'yesterday at noon' cannot be read" in note and "it does not count as late" in note
    assert note.split()[0] in table
    beside(root, "timestamp.txt", "2026-03-02 12:00:00 UTC")
    assert row(root)[1] == "handed in 1 day late", "the remark disappears when the time is entered"
    assert timestamp(root) == TIME


def test_late_by_the_system_without_a_time_asks_for_one(root: Path) -> None:
    beside(root, "late.txt", "LATE")
    _, note = row(root)
    assert "late according to the learning management system" in note and "enter the time in timestamp.txt" in note
    beside(root, "timestamp.txt", "2026-03-02 12:00:00 UTC")
    assert row(root)[1] == "handed in 1 day late"


def test_an_unknown_time_needs_a_look_in_every_command_if_being_late_costs_points(root: Path) -> None:
    table, note = row(root)
    assert "the submission time is unknown, so nothing is taken off for being late" in note
    assert f"1 submission needs a look: {STUDENT}." in table and "NEEDS A LOOK: the submission time" in table
    assert f"course decide STUDENT {LESSON} --accept" in table
    table, report, grades, decide, page = everywhere(root)
    for one in (report, decide, grades):
        assert STUDENT in one
    assert f"{LESSON}: {STUDENT} needs a look: the submission time is unknown" in grades
    assert "needs a look: the submission time is unknown" in page
    assert "graded, needs a look" in (root / "report.csv").read_text()
    assert "needs one" in decide
    beside(root, "timestamp.txt", "2026-03-01 10:00:00 UTC")
    assert not any("needs a look" in one.casefold() for one in everywhere(root))


@pytest.mark.parametrize("reason", ["no policy", "no due date"])
def test_an_unknown_time_is_no_doubt_if_being_late_costs_nothing(root: Path, reason: str) -> None:
    if reason == "no policy":
        (root / "course.toml").write_text("")
    else:
        said(root, "deadlines", "03", "--none")
    assert row(root)[1] == ""


def test_a_policy_in_nbgraders_configuration_counts_as_well(root: Path) -> None:
    (root / "course.toml").write_text("")
    with (root / "nbgrader_config.py").open("a") as file:
        file.write('c.LateSubmissionPlugin.penalty_method = "zero"\n')
    assert "the submission time is unknown" in row(root)[1]


def test_canvas_marks_late_files_so_others_are_only_counted(root: Path) -> None:
    beside(root, "download.json", json.dumps({"path": "kim_1_2_x.ipynb", "source": "Canvas: 1"}))
    table, note = row(root)
    assert note == "" and "1 submission from Canvas without a time: Canvas does not call them late" in table


def of_a_student(root: Path, name: str) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files to other users")
    os.chown(root / f"class/submitted/{STUDENT}/{LESSON}/{name}", USER, USER)


def test_a_time_that_its_student_may_have_written_needs_a_look(root: Path) -> None:
    beside(root, "timestamp.txt", "2026-02-01 12:00:00 UTC")
    assert row(root)[1] == ""
    of_a_student(root, "timestamp.txt")
    table, note = row(root)
    assert f"is in a timestamp.txt of user number {USER}, who could write any time there" in note
    assert f"1 submission needs a look: {STUDENT}." in table
    (root / "course.toml").write_text(f'[late]\npolicy = "zero"\n[class]\ngraders = [{USER}]\n')
    assert row(root)[1] == "", "graders write times"
    (root / "course.toml").write_text("")
    assert row(root)[1] == "", "the time costs nothing"


def test_a_students_own_record_of_a_download_does_not_stand_for_a_time(root: Path) -> None:
    beside(root, "download.json", json.dumps({"path": "kim_1_2_x.ipynb", "source": "Canvas: 1"}))
    of_a_student(root, "download.json")
    table, note = row(root)
    assert "the submission time is unknown" in note and "from Canvas" not in table


def test_a_doubt_is_gone_once_it_is_accepted_and_back_once_that_is_revoked(root: Path) -> None:
    row(root)
    assert "decided: accepted (it was in my mailbox)" in said(
        root, "decide", STUDENT, "03", "--accept", "--reason", "it was in my mailbox"
    )
    table, report, grades, decide, page = everywhere(root)
    for one in (table, report, grades, page):
        assert "needs a look" not in one.casefold()
    assert "accepted" in decide and "needs one" not in decide
    assert points_of(root) != "", "the points stay"
    said(root, "decide", STUDENT, "03", "--wait")
    assert "NEEDS A LOOK" in row(root)[0]


def points_of(root: Path) -> str:
    with (root / "grades.csv").open() as file:
        return next(one["score"] for one in csv.DictReader(file) if one["student_id"] == STUDENT)


def moodle(root: Path, status: str) -> str:
    """Collect the student's file from Moodle, with a grading worksheet that gives its status."""
    worksheet = f"id,first_name,Status\n{STUDENT},Kim,{status}\n{OTHER},Zo,Submitted for grading\n"
    (root / "worksheet.csv").write_text(worksheet)
    handed_in = root / f"downloads/{STUDENT}/{LESSON}/{LESSON}.ipynb"
    handed_in.parent.mkdir(parents=True, exist_ok=True)
    handed_in.write_bytes((root / f"class/submitted/{STUDENT}/{LESSON}/{LESSON}.ipynb").read_bytes())
    return said(root, "collect", "03", "downloads", "--roster", "worksheet.csv")


def test_a_draft_needs_a_look_in_every_command_until_it_is_submitted(root: Path) -> None:
    beside(root, "timestamp.txt", "2026-03-01 10:00:00 UTC")
    assert "calls it a draft" in moodle(root, "Draft (not submitted)")
    for one in everywhere(root):
        assert "worksheet calls" in one or f"1 submission needs a look: {STUDENT}." in one
    said(root, "collect", "03", "downloads")
    assert "calls it a draft" in row(root)[1], "without a worksheet, nobody has said otherwise"
    moodle(root, "Submitted for grading")
    assert not any("worksheet calls" in one for one in everywhere(root))


def test_a_draft_may_count_as_not_handed_in(root: Path) -> None:
    beside(root, "timestamp.txt", "2026-03-01 10:00:00 UTC")
    moodle(root, "Draft (not submitted)")
    row(root)
    said(root, "decide", STUDENT, "03", "--not-handed-in")
    table, _, grades, _, page = everywhere(root)
    assert "decided: not handed in" in table and "decided: not handed in" in page and points_of(root) == ""
    assert "handed in nothing and have an empty cell" in grades
    assert f"{STUDENT},Kim Student00000,decided: not handed in,," in (root / "report.csv").read_text()
    moodle(root, "Submitted for grading")
    everywhere(root)
    assert points_of(root) != "", "what was submitted counts, whatever was decided about the draft"


@pytest.mark.parametrize(
    ("student", "option", "why"),
    [
        (STUDENT, ("--points", "3"), "was graded. Change its points in formgrader"),
        (
            STUDENT,
            ("--not-handed-in",),
            "was graded. Only a draft, or a submission that cannot be graded, may count as not handed",
        ),
        (OTHER, ("--accept",), "was graded without doubts, so there is nothing to accept"),
    ],
)
def test_a_decision_that_the_submission_does_not_allow_is_refused(
    root: Path, student: str, option: tuple[str, ...], why: str
) -> None:
    row(root)
    ran = run_course(root, "decide", student, "03", *option)
    assert ran.code == 1 and why in " ".join(ran.err.split())


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, ""),
        (20, "handed in 1 minute late"),
        (3600, "handed in 1 hour late"),
        (34 * 3600, "handed in 1 day 10 hours late"),
        (2 * 86_400 + 180, "handed in 2 days 3 minutes late"),
    ],
)
def test_lateness_is_given_in_words(seconds: float, words: str) -> None:
    assert late_by(seconds) == words


def test_a_later_file_without_a_time_does_not_have_the_time_of_the_file_before(tmp_path: Path, released: Any) -> None:
    archive = Archive(tmp_path)
    with Records(archive.gradebook, LESSON) as records:
        records.register(released)
        records.save(STUDENT, with_points(released, 1), TIME)
        for later, time in ((False, TIME), (True, None)):
            records.save(STUDENT, with_points(released, 1), later=later)
            with Gradebook(archive.gradebook) as book:
                assert book.find_submission(LESSON, STUDENT).timestamp == time


@pytest.mark.parametrize("text", ["yesterday at noon", "", "\x00\xff", "99", "2026-03-02 12:00:00 NOWHERE", "25:99"])
def test_formgrader_shows_the_class_whatever_a_time_says(
    root: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside(root, "timestamp.txt", text)
    monkeypatch.chdir(root)
    config = Config()
    configure(config)
    api = NbGraderAPI(CourseDirectory(config=config), config=config)
    found = {one["student"]: one for one in api.get_submissions(LESSON)}
    assert found.keys() == {STUDENT, OTHER}
