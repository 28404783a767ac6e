"""A submission time that is unknown or unreadable is reported, and never counts as on time."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from conftest import LESSON, copy_course, run_course
from gradebooks import with_points
from nbgrader.api import Gradebook
from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from autograder.nbgrader_config import configure
from autograder.records.archive import Archive
from autograder.records.gradebook import Records
from autograder.records.hand_in_time import late_by
from benchmarks.large_class import fill
from course_lib.course import Course, find_course

STUDENT = "student00000"
TIME = datetime(2026, 3, 2, 12)


@pytest.fixture
def root(course: Course, tmp_path: Path) -> Path:
    """A graded class of two, in a lesson with a due date."""
    root = copy_course(course, tmp_path / "course")
    (root / "course.toml").write_text('[late]\npolicy = "zero"\n')
    fill(find_course(root), Archive(root / "class"), 2, course.student_notebook(LESSON).read_bytes())
    run_course(root, "deadlines", "03", "2026-03-01 12:00")
    return root


def beside(root: Path, name: str, text: str) -> None:
    (root / f"class/submitted/{STUDENT}/{LESSON}/{name}").write_text(text)


def row(root: Path) -> tuple[str, str]:
    """Return what the table and the results say about the student's time."""
    ran = run_course(root, "grade", "03", "--json", "results.json")
    assert ran.code == 0, ran
    found = {one["student"]: one for one in json.loads((root / "results.json").read_text())}
    assert not found["student00001"]["time_note"]
    return " ".join(ran.out.split()), found[STUDENT]["time_note"]


def timestamp(root: Path) -> datetime | None:
    with Gradebook(Archive(root / "class").gradebook) as book:
        found: datetime | None = book.find_submission(LESSON, STUDENT).timestamp
        return found


def test_a_time_that_cannot_be_read_is_reported_in_table_and_results(root: Path) -> None:
    beside(root, "timestamp.txt", "yesterday at noon")
    said, note = row(root)
    assert "'yesterday at noon' cannot be read" in note and "it does not count as late" in note
    assert note.split()[0] in said
    beside(root, "timestamp.txt", "2026-03-02 12:00:00 UTC")
    assert row(root)[1] == "handed in 1 day late", "the remark disappears when the time is entered"
    assert timestamp(root) == TIME


def test_late_by_the_system_without_a_time_asks_for_one(root: Path) -> None:
    beside(root, "late.txt", "LATE")
    _, note = row(root)
    assert "late according to the learning management system" in note and "enter the time in timestamp.txt" in note
    beside(root, "timestamp.txt", "2026-03-02 12:00:00 UTC")
    assert row(root)[1] == "handed in 1 day late"


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
    assert found.keys() == {STUDENT, "student00001"}
