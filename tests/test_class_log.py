"""The class's log: what was graded, and every error of our own with its traceback."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from conftest import LESSON, TimedResult, copy_course, hand_in_to, run_course

from autograder.class_folder.log import LONGEST_MESSAGE, NAME, logging_in
from autograder.demo.classroom import Student, hand_in
from autograder.grading import feedback_notebook
from autograder.grading.grader import Grader
from autograder.records.purge import Purge
from course_lib.course import Course, find_course
from course_lib.our_errors import STRICT, about, report

GRADE = ("grade", "03", "--submissions", "submitted", "--workers", "1", "--unsandboxed")


@pytest.fixture
def root(course: Course, released: Any, tmp_path: Path) -> Path:
    """A course in which two have handed in."""
    root = copy_course(course, tmp_path / "a course")
    hand_in_to(root / "submitted", {name: hand_in(Student(name), released) for name in ("ada", "bob")})
    return root


@pytest.fixture
def _production(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(STRICT)


def fail(*_: Any, **__: Any) -> Any:
    raise TypeError("a bug of ours\n" + "x" * 1000)


def log_of(root: Path) -> str:
    return (root / "class" / NAME).read_text()


def record_of(root: Path, student: str) -> dict[str, Any]:
    return json.loads((root / f"class/records/{LESSON}/{student}.json").read_text())  # type: ignore[no-any-return]


def grade_with_a_bug(root: Path, monkeypatch: pytest.MonkeyPatch) -> TimedResult:
    judge = Grader._judge
    monkeypatch.setattr(Grader, "_judge", lambda grader, one, outcome: (fail if one.student == "ada" else judge)(
        grader, one, outcome
    ))  # fmt: skip
    return run_course(root, *GRADE)


@pytest.mark.usefixtures("_production")
def test_a_bug_in_judging_costs_one_submission_its_grade_and_is_logged_with_its_traceback(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = grade_with_a_bug(root, monkeypatch)
    assert ran.code == 0
    assert f"There was 1 error of the course itself. Please report what is in {root}/class/{NAME}" in ran.out
    log = log_of(root)
    assert f"grading ada's {LESSON} failed\nTraceback (most recent call last):\n" in log
    assert 'raise TypeError("a bug of ours' in log, "the line that failed"
    assert f"grading {LESSON}: 2 of 2 submissions\n" in log
    reason = record_of(root, "ada")["reason"]
    assert reason.startswith("grading it failed: TypeError: a bug of ours")
    assert log.split("failed: ")[0].count("x" * 20) <= reason.count("x" * 20), "no more than the record holds"
    assert re.search("x{100,}", log)
    assert not re.search(f"x{{{LONGEST_MESSAGE}}}", log)
    assert record_of(root, "bob")["score"] == 13


@pytest.mark.slow
def test_under_test_a_bug_in_judging_is_raised(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TypeError, match="a bug of ours"):
        grade_with_a_bug(root, monkeypatch)


@pytest.mark.slow
@pytest.mark.usefixtures("_production")
def test_a_card_that_cannot_be_made_keeps_the_points_and_is_logged(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_card, asked = feedback_notebook.make_card, list[str]()

    def fails_once(verdict: Any, *about: Any, **how: Any) -> Any:
        asked.append(verdict.exercise_id)
        return fail() if len(asked) == 1 else make_card(verdict, *about, **how)

    monkeypatch.setattr(feedback_notebook, "make_card", fails_once)
    ran = run_course(root, *GRADE)
    assert "1 error of the course itself" in ran.out
    assert {record_of(root, student)["score"] for student in ("ada", "bob")} == {13}
    assert re.search(
        rf"making the feedback card of {asked[0]} \((ada|bob)'s {LESSON}\) failed\nTraceback", log_of(root)
    )


@pytest.mark.slow
def test_an_error_of_the_machine_is_logged_and_not_called_an_error_of_the_course(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> Any:
        raise OSError("No space left on device")

    monkeypatch.setattr(Grader, "rebuild", full)
    ran = run_course(root, *GRADE)
    assert "of the course itself" not in ran.out
    assert record_of(root, "ada")["reason"] == "grading it failed: OSError: No space left on device"
    assert f"grading ada's {LESSON} failed\nTraceback" in log_of(root)


@pytest.mark.slow
def test_grading_without_errors_is_logged_and_not_mentioned(root: Path) -> None:
    ran = run_course(root, *GRADE)
    assert "of the course itself" not in ran.out
    entries = [line.split(" ", 2)[2] for line in log_of(root).splitlines()]
    assert entries == [f"grading {LESSON}: 2 of 2 submissions", f"grading {LESSON} is done"]
    assert not (root / "class" / NAME).stat().st_mode & 0o077, "only graders may read it"


@pytest.mark.usefixtures("_production")
def test_a_log_holds_every_error_that_led_to_another(tmp_path: Path) -> None:
    with logging_in(tmp_path), about("ada"):
        try:
            try:
                fail()
            except TypeError as error:
                raise ValueError("because of it") from error
        except ValueError as error:
            report(error, "judging softmax")
    log = (tmp_path / NAME).read_text()
    assert log.index("TypeError: a bug") < log.index("which caused:") < log.index("ValueError: because of it")


@pytest.mark.usefixtures("_production")
def test_a_log_that_cannot_be_written_stops_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with logging_in(tmp_path / "no folder") as log:
        report(ValueError("ours"), "judging softmax")
    assert log.errors == 1
    assert capsys.readouterr() == ("", "")


@pytest.mark.usefixtures("_production")
def test_purging_a_student_removes_a_log_with_the_name(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grade_with_a_bug(root, monkeypatch)
    archive = class_archive_of(root)
    assert ("log", archive.folder / NAME) not in Purge(archive).held("bob").paths
    assert ("log", archive.folder / NAME) in Purge(archive).held_of_all().paths
    purge = Purge(archive)
    purge.remove(purge.held("ada"))
    assert not (archive.folder / NAME).exists()


def class_archive_of(root: Path) -> Any:
    from autograder.records.archive import class_archive

    return class_archive(find_course(root))
