"""The course and nbgrader agree on due dates, extensions and the late policy, from one file and one section."""

from __future__ import annotations

import math
import re
import shlex
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from conftest import LESSON, POINTS, copy_course, run_course
from gradebooks import with_points
from nbformat.v4 import new_notebook
from nbgrader.api import Gradebook
from nbgrader.preprocessors import AssignLatePenalties
from traitlets.config import PyFileConfigLoader

from autograder.gradebook.deadlines_file import parse_due, read_deadlines
from autograder.gradebook.gradebook import Records
from autograder.records.archive import Archive
from autograder.records.late_policy import lateness_of
from course_lib.course import Course, CourseError, find_course
from course_lib.late_policy import LatePolicy

DUE = datetime(2026, 3, 1, 12)
HOUR, DAY = 3600, 86_400


@pytest.fixture
def root(course: Course, released: Any, tmp_path: Path) -> Path:
    """A class in which ada handed in 34 hours late, and the others in time."""
    root = copy_course(course, tmp_path / "course")
    with Records(Archive(root / "class").gradebook, LESSON) as records:
        records.register(released)
        for student, hours in (("ada", 34), ("bob", -1)):
            records.save(student, with_points(released, 0.5), DUE + timedelta(hours=hours))
    return root


def policy(root: Path, text: str) -> None:
    (root / "course.toml").write_text(f"[late]\n{text}\n")


def course_says(root: Path, *arguments: str) -> str:
    ran = run_course(root, *arguments)
    assert ran.code == 0, ran
    return " ".join(ran.out.split())


def settle(root: Path) -> dict[str, float | None]:
    """Return the penalties after `course grade`."""
    course = find_course(root)
    archive = Archive(root / "class")
    with Records(archive.gradebook, LESSON, lateness=lateness_of(course, archive)) as records:
        records.settle({"ada": None, "bob": None})
    return penalties(root)


def penalties(root: Path) -> dict[str, float | None]:
    with Gradebook(Archive(root / "class").gradebook) as book:
        return {s.student.id: s.notebooks[0].late_submission_penalty for s in book.assignment_submissions(LESSON)}


@pytest.mark.parametrize(
    ("late", "seconds", "lost"),
    [
        (LatePolicy(), DAY, None),
        (LatePolicy("zero"), 1, 10),
        (LatePolicy("zero", grace_minutes=10), 600, None),
        (LatePolicy("zero", grace_minutes=10), 601, 10),
        (LatePolicy("percent_per_day"), 1, 1),
        (LatePolicy("percent_per_day"), DAY, 1),
        (LatePolicy("percent_per_day"), 34 * HOUR, 2),
        (LatePolicy("percent_per_day", percent=25), 30 * DAY, 10),
        (LatePolicy("percent_per_day", most_days=2), 2 * DAY, 2),
        (LatePolicy("percent_per_day", most_days=2), 2 * DAY + 1, 10),
    ],
)
def test_a_policy_deducts_the_stated_points(late: LatePolicy, seconds: float, lost: float | None) -> None:
    assert late.lost(10, seconds) == lost


def test_course_grade_and_nbgrader_deduct_the_same(root: Path) -> None:
    policy(root, 'policy = "percent_per_day"\npercent = 10')
    said = course_says(root, "deadlines", "03", "2026-03-01 12:00")
    assert f"{LESSON} 2026-03-01 12:00 UTC" in said
    assert "A late submission loses 10 % of its points for each day that begins." in said
    ours = settle(root)
    assert ours == {"ada": pytest.approx(POINTS / 2 * 0.2), "bob": None}
    url = Archive(root / "class").gradebook
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        config = PyFileConfigLoader("nbgrader_config.py", path=str(root)).load_config()
    for student in ours:
        about = {"notebook": LESSON, "assignment": LESSON, "db_url": url, "student": student}
        AssignLatePenalties(config=config).preprocess(new_notebook(), {"nbgrader": about})
    assert penalties(root) == ours


def test_a_policy_in_nbgraders_configuration_takes_precedence(root: Path) -> None:
    policy(root, 'policy = "percent_per_day"')
    with (root / "nbgrader_config.py").open("a") as file:
        file.write("c.LateSubmissionPlugin.penalty_method = 'zero'\n")
    course_says(root, "deadlines", "03", "2026-03-01 12:00")
    assert settle(root) == {"ada": POINTS / 2, "bob": None}


def test_an_extension_is_given_and_taken_back(root: Path) -> None:
    policy(root, 'policy = "zero"')
    course_says(root, "deadlines", "03", "2026-03-01 12:00")
    assert settle(root)["ada"] == POINTS / 2
    assert "ada 2 days" in course_says(root, "deadlines", "03", "--student", "ada", "--extra-days", "2")
    assert settle(root)["ada"] is None
    assert "ada 2 days" not in course_says(root, "deadlines", "03", "--student", "ada", "--extra-days", "0")
    assert settle(root)["ada"] == POINTS / 2
    assert f"{LESSON} –" in course_says(root, "deadlines", "03", "--none")
    assert settle(root)["ada"] is None


def test_the_file_can_be_written_by_hand_and_reaches_the_gradebook(root: Path) -> None:
    policy(root, 'policy = "zero"\ntimezone = "Europe/Berlin"')
    path = root / "class/deadlines.csv"
    path.write_text("lesson;student;due;extra_days\n03;;2026-03-01 13:00;\n03;ada;;1\n;;;\n")
    assert settle(root)["ada"] == POINTS / 2, "34 hours late, with an extension of a day"
    path.write_text("lesson;student;due;extra_days\n03;;2026-03-01 13:00;\n03;ada;;1,5\n")
    assert settle(root)["ada"] is None
    with Gradebook(Archive(root / "class").gradebook) as book:
        assert book.find_assignment(LESSON).duedate == DUE, "13:00 in Berlin"
    assert f"{LESSON} 2026-03-01 13:00 CET ada 1.5 days" in course_says(root, "deadlines")
    for row, wrong in (
        ("03,,2026-03-01,", "no time of day"),
        ("03,,tomorrow at 5,", "is not a date with a time of day"),
        ("03,ada,,two", "line 2"),
        ("99,,2026-03-01 12:00,", "There is no lesson called '99'"),
        ("03,,2026-03-01 12:00 XYZ,", "names the time zone 'XYZ', which is not known"),
    ):
        path.write_text(f"lesson,student,due,extra_days\n{row}\n")
        ran = run_course(root, "deadlines")
        assert ran.code == 1 and "deadlines.csv, line 2" in ran.err and wrong in " ".join(ran.err.split()), ran


def test_withdrawn_days_are_reported_until_somebody_settles_it(root: Path) -> None:
    policy(root, 'policy = "zero"')
    roster = root / "class/students.csv"
    roster.write_text("id,extra_days\nada,3\nbob,\n")
    course_says(root, "deadlines", "03", "2026-03-01 12:00")
    assert settle(root)["ada"] is None
    roster.write_text("id,extra_days\nada,\nbob,\n")
    longer = "Longer for 03_self_attention by the gradebook than by the roster and deadlines.csv: ada 3 days, not 0."
    assert longer in course_says(root, "deadlines")
    assert settle(root)["ada"] is None, "the longer extension holds until a person decides"
    assert "Longer for" not in course_says(root, "deadlines", "03", "--as-granted")
    assert settle(root)["ada"] == POINTS / 2


@pytest.mark.parametrize(
    ("text", "utc"),
    [
        ("2026-12-01 23:59", "2026-12-01 22:59"),
        ("2026-07-01 23:59", "2026-07-01 21:59"),
        ("2026-12-01 23:59 UTC", "2026-12-01 23:59"),
        ("2026-12-01T23:59:00Z", "2026-12-01 23:59"),
        ("2026-12-01 23:59 America/New_York", "2026-12-02 04:59"),
        ("2026-12-01 23:59:00+02:00", "2026-12-01 21:59"),
    ],
)
def test_a_date_is_read_in_the_zone_that_it_names_or_else_in_the_courses(text: str, utc: str) -> None:
    assert f"{parse_due(text, 'Europe/Berlin'):%Y-%m-%d %H:%M}" == utc


@pytest.mark.parametrize("wrong", ["2026-12-01", "", "1.12.2026 23:59", "2026-13-01 10:00", "2026-12-01 25:00"])
def test_what_is_not_a_date_and_a_time_is_refused(wrong: str) -> None:
    with pytest.raises(CourseError, match=r"Write a due date as 2026-12-01 23:59"):
        parse_due(wrong, "UTC")


@pytest.mark.parametrize(
    "text", ['policy = "ten"', "percent = 101", "grace_minutes = -1", 'timezone = "Berlin"', "most_days = true"]
)
def test_a_wrong_policy_is_explained(root: Path, text: str) -> None:
    policy(root, text)
    ran = run_course(root, "deadlines")
    assert ran.code == 1 and f"late.{text.split(maxsplit=1)[0]} is" in ran.err, ran


def test_an_unknown_student_gets_no_extension(root: Path) -> None:
    ran = run_course(root, "deadlines", "03", "--student", "adda", "--extra-days", "2")
    assert ran.code == 1 and "Nobody in the class is called 'adda'" in ran.err, ran
    assert not read_deadlines(find_course(root), root / "class").extra
    assert math.isclose(LatePolicy("percent_per_day", percent=0).lost(10, DAY) or 0, 0)


def test_without_a_roster_an_extension_says_that_nobody_has_checked_the_id(root: Path) -> None:
    ran = run_course(root, "deadlines", "03", "--student", "nosuch", "--extra-days", "2", "--class", "other")
    assert ran.code == 0 and "has no roster yet" in ran.out and "nosuch" in ran.out


def test_the_page_on_deadlines_shows_what_its_commands_write(course: Course, root: Path) -> None:
    page = (course.root / "docs/deadlines.md").read_text(encoding="utf-8")
    [shown] = re.findall(r"^```text\n(lesson,.*?)^```", page, re.MULTILINE | re.DOTALL)
    for words in re.findall(r"^\$ course (deadlines 03 (?:\".*CET\"|--student.*?))(?: +#.*)?$", page, re.MULTILINE):
        course_says(root, *shlex.split(words))
    assert (root / "class/deadlines.csv").read_text(encoding="utf-8") == shown


def test_every_command_names_a_time_in_the_zone_of_the_course(root: Path) -> None:
    policy(root, 'timezone = "Europe/Berlin"')
    until = "2100-01-15 23:59 CET"
    assert until in course_says(root, "deadlines", "03", "2100-01-15 23:59")
    refused = run_course(root, "release", "04", "--to", "out")
    assert f"{LESSON} (until {until})" in " ".join(refused.err.split())
    (root / "class/students.csv").write_text("id\nada\nbob\ncleo\n")
    said = course_says(root, "grades", "03", "--to", "grades.csv", "--absent", "zero")
    assert f"still accepts work until {until}." in said
