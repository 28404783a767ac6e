"""What `nbgrader autograde` does to earlier grades, to their times and to their points: what `course grade` does."""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from conftest import LESSON, copy_course, hand_in_to, require
from gradebooks import fill, with_points
from nbgrader.api import Gradebook, GradeCell
from nbgrader.converters import NbGraderException
from nbgrader.coursedir import CourseDirectory
from tiers import slow_but
from traitlets.config import Config

from autograder.demo.classroom import Student, hand_in
from autograder.gradebook.gradebook import Records
from autograder.gradebook.lateness import Lateness
from autograder.grading.graded import Graded
from autograder.grading.grader import Grader
from autograder.nbgrader_commands.config import configure
from autograder.nbgrader_commands.converter import PlainAutograde, begin
from autograder.records.archive import Archive
from autograder.records.graded_record import record_of
from autograder.records.record import Record
from course_lib.course import Course, CourseError
from course_lib.our_errors import STRICT

DUE = datetime(2026, 3, 1, 12)
EARLY, LATE = DUE - timedelta(hours=1), DUE + timedelta(days=1)
ZERO = "get_config().LateSubmissionPlugin.penalty_method = 'zero'\n"
STUDENT = "ada"


def graded(student: str) -> Graded:
    """What the grader finds."""
    return Graded(student, LESSON, "graded", "", {}, 13, asked=True, digest="course-file")


@pytest.fixture
def root(course: Course, released: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course in which one student was graded in time, and has handed in another file late."""
    require("bwrap")
    root = copy_course(course, tmp_path / "course")
    with (root / "nbgrader_config.py").open("a", encoding="utf-8") as file:
        file.write(f"\n{ZERO}")
    archive = Archive(root / "class")
    with Records(archive.gradebook, LESSON) as records:
        records.register(released)
        with Gradebook(archive.gradebook) as book:
            book.update_or_create_assignment(LESSON, duedate=DUE)
        notebook = with_points(released, 0.5)
        records.save(STUDENT, notebook, EARLY)
        archive.save(record_of(graded(STUDENT)), notebook, EARLY)
    hand_in_to(archive.submitted, {STUDENT: hand_in(Student(STUDENT), released)})
    notebook_of(root).with_name("timestamp.txt").write_text(f"{LATE} UTC\n")
    monkeypatch.chdir(root)
    return root


def notebook_of(root: Path, student: str = STUDENT) -> Path:
    return Archive(root / "class").submitted / student / LESSON / f"{LESSON}.ipynb"


def autograde(root: Path, notebook: str = "*", student: str = STUDENT) -> None:
    """`nbgrader autograde --force` in this process."""
    config = Config()
    configure(config)
    config.LateSubmissionPlugin.penalty_method = "zero"
    names = {"assignment_id": LESSON, "student_id": student, "notebook_id": notebook}
    PlainAutograde(coursedir=CourseDirectory(config=config, **names), config=config, force=True).start()


def stands(root: Path, student: str = STUDENT) -> tuple[float, bool, datetime | None, float | None]:
    """What the gradebook has: score, whether it waits for a person, when it came in, and what that costs."""
    with Gradebook(Archive(root / "class").gradebook) as book:
        one = book.find_submission(LESSON, student)
        return one.score, bool(one.needs_manual_grade), one.timestamp, one.notebooks[0].late_submission_penalty


def record(root: Path, student: str = STUDENT) -> Record:
    found = Archive(root / "class").record(LESSON, student)
    assert found
    return found


def files(root: Path) -> dict[str, bytes]:
    """All that lies where the graded notebook does."""
    folder = Archive(root / "class").autograded(STUDENT, LESSON).parent
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def is_unreadable(root: Path, _: pytest.MonkeyPatch) -> None:
    notebook_of(root).write_text("{")


def stops_the_run(_: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*_: object) -> None:
        raise RuntimeError("the worker is gone")

    monkeypatch.setattr(Grader, "run", run)
    monkeypatch.delenv(STRICT)  # in production, this error is logged


def is_interrupted(_: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Grader, "run", run)


def fills_the_disk(_: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def copied(*_: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr("nbgrader.converters.autograde.shutil.copy", copied)


def breaks_the_roster(root: Path, _: pytest.MonkeyPatch) -> None:
    Archive(root / "class").roster.write_text("name\nAda\n")


def is_right(_: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a sandbox."""

    def judge(grader: Grader, one: Any, _: object) -> tuple[Graded, Any]:
        return graded(one.student), with_points(grader.released, 1)

    monkeypatch.setattr(Grader, "run_whole", lambda *_: None)
    monkeypatch.setattr(Grader, "judge", judge)


Happens = Callable[[Path, pytest.MonkeyPatch], None]


@pytest.mark.parametrize("notebook", ["*", LESSON])
@pytest.mark.parametrize(
    "happens",
    slow_but(
        [is_unreadable, fills_the_disk, breaks_the_roster],
        [is_unreadable, stops_the_run, is_interrupted, fills_the_disk, breaks_the_roster],
    ),
)
def test_a_file_that_is_not_graded_leaves_the_earlier_grade_its_time_and_its_notebook(
    root: Path, monkeypatch: pytest.MonkeyPatch, happens: Happens, notebook: str
) -> None:
    before, lay_there = stands(root), files(root)
    assert before == (6.5, False, EARLY, None) and set(lay_there) == {f"{LESSON}.ipynb", "timestamp.txt"}
    happens(root, monkeypatch)
    with pytest.raises((NbGraderException, KeyboardInterrupt)):
        autograde(root, notebook)
    assert stands(root) == before
    assert files(root) == lay_there
    assert record(root)["status"] == "graded" and record(root)["asked"]
    with Records(Archive(root / "class").gradebook, LESSON, lateness=Lateness(root)) as records:
        records.settle({STUDENT: None})
    assert stands(root) == before, "nor is it late when `course grade` looks at it again"


def test_a_file_that_is_graded_comes_with_its_time(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    is_right(root, monkeypatch)
    autograde(root)
    assert stands(root) == (13, False, LATE, 13)
    assert record(root)["digest"]


@pytest.mark.slow
def test_the_policy_says_what_a_file_that_cannot_be_read_costs(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (root / "course.toml").open("a") as file:
        file.write('[resubmissions]\nunreadable = "none"\n')
    for happens, kept in ((stops_the_run, True), (is_unreadable, False)):
        with monkeypatch.context() as patch:
            happens(root, patch)
            with pytest.raises(NbGraderException):
                autograde(root)
        assert (stands(root)[:3] == (6.5, False, EARLY)) is kept, "what isn't the file's fault costs nothing"
        assert bool(record(root)["kept"]) is kept
        assert bool(files(root)) is kept
    assert stands(root)[:3] == (0, True, LATE)
    assert record(root)["status"] == "failed" and "cut short" in record(root)["reason"] and record(root)["asked"]


@pytest.mark.parametrize("happens", [stops_the_run, is_interrupted])
@pytest.mark.slow
def test_whoever_was_asked_for_the_first_time_counts_as_asked_however_it_ends(
    root: Path, released: Any, monkeypatch: pytest.MonkeyPatch, happens: Happens
) -> None:
    hand_in_to(root / "class/submitted", {"new": hand_in(Student("new"), released)})
    happens(root, monkeypatch)
    with pytest.raises((NbGraderException, KeyboardInterrupt)):
        autograde(root, student="new")
    found = record(root, "new")
    assert found["status"] == "failed" and found["asked"] and found["courses_fault"] and not found["digest"]
    assert "the worker is gone" in found["reason"] or happens is is_interrupted
    assert not Archive(root / "class").autograded("new", LESSON).exists()


def points(root: Path) -> dict[str, float]:
    with Gradebook(Archive(root / "class").gradebook) as book:
        return {cell.name: cell.max_score for cell in book.db.query(GradeCell)}


def test_the_gradebook_learns_the_points_of_a_new_build_before_any_score(
    root: Path, released: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    url, now = Archive(root / "class").gradebook, points(root)
    other = copy.deepcopy(released)
    cell = next(cell for cell in other.cells if cell.metadata.get("nbgrader", {}).get("grade"))
    cell.metadata.nbgrader.points += 2
    fill(url, LESSON, other, {STUDENT: 0.5})
    assert points(root) != now
    is_right(root, monkeypatch)
    with caplog.at_level(logging.WARNING):
        autograde(root)
    assert points(root) == now and stands(root)[0] == 13
    assert "1 of them" in caplog.text and f"nbgrader autograde {LESSON} --force" in caplog.text
    assert begin(LESSON, url) == 0, "nothing is new"


def test_what_being_late_costs_goes_by_the_points_of_a_new_build(root: Path, released: Any) -> None:
    url, other = Archive(root / "class").gradebook, copy.deepcopy(released)
    for cell in other.cells:
        if cell.metadata.get("nbgrader", {}).get("grade"):
            cell.metadata.nbgrader.points *= 2
    with Records(url, LESSON, "off", Lateness(root)) as records:
        records.register(other)
        records.settle({STUDENT: LATE})
        assert records.submission_points()[STUDENT].late == 13
    assert begin(LESSON, url) == 1
    with Records(url, LESSON) as records:
        found = records.submission_points()[STUDENT]
    assert (found.score, found.late) == (0, 6.5)


def test_what_was_graded_with_other_cells_is_told_in_a_sentence(root: Path, released: Any) -> None:
    other = copy.deepcopy(released)
    other.cells = [cell for cell in other.cells if not cell.metadata.get("nbgrader", {}).get("grade")]
    url = f"sqlite:///{root}/other.db"
    fill(url, LESSON, other, {STUDENT: 1})
    with pytest.raises(CourseError, match="holds grades of another version of 03_self_attention"):
        begin(LESSON, url)
