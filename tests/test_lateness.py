"""What a late submission loses: just what nbgrader takes, by when it came in, when it was due, and extensions."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from conftest import LESSON, copy_course
from gradebooks import with_points
from nbformat.v4 import new_notebook
from nbgrader.api import Gradebook
from nbgrader.preprocessors import AssignLatePenalties
from traitlets.config import PyFileConfigLoader

from autograder.collecting.roster import extra_time
from autograder.records.gradebook import Records
from autograder.records.lateness import Lateness
from course_lib.course import Course, CourseError

DUE = datetime(2026, 3, 1, 12)
TIMES = {"early": datetime(2026, 3, 1, 11), "late": datetime(2026, 3, 2, 13), "unknown": None, "on_the_dot": DUE}
OWN = """
from nbgrader.plugins import LateSubmissionPlugin

class Own(LateSubmissionPlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return {}

c = get_config()
c.AssignLatePenalties.plugin_class = Own
"""
#: what stands in nbgrader_config.py, and what it costs who is 25 hours late and has 6.5 points
POLICIES = {
    "": None,
    "get_config().LateSubmissionPlugin.penalty_method = 'zero'": 6.5,
    OWN.format("total_seconds_late / 36_000"): 2.5,
    OWN.format("score + 1"): 6.5,
    OWN.format("-1"): 0,
}


def book(root: Path) -> Gradebook:
    return Gradebook(url(root))


def url(root: Path) -> str:
    return f"sqlite:///{root}/gradebook.db"


def penalties(root: Path) -> dict[str, float | None]:
    with book(root) as found:
        return {
            one.student.id: one.notebooks[0].late_submission_penalty for one in found.assignment_submissions(LESSON)
        }


def graded(root: Path, released: Any, policy: str, roster: str = "id") -> Records:
    """A class that has half of the points each."""
    (root / "nbgrader_config.py").write_text(policy)
    (root / "students.csv").write_text(roster)
    with Records(url(root), LESSON, lateness=Lateness(root, extra_time(root / "students.csv"))) as records:
        records.register(released)
        with book(root) as found:
            found.update_or_create_assignment(LESSON, duedate=DUE)
        for student, time in TIMES.items():
            records.save(student, with_points(released, 0.5), time)
    return records


@pytest.mark.parametrize("policy", POLICIES, ids=range(len(POLICIES)))
def test_a_late_submission_loses_what_nbgrader_takes(tmp_path: Path, released: Any, policy: str) -> None:
    graded(tmp_path, released, policy)
    ours = penalties(tmp_path)
    assert ours == {**dict.fromkeys(TIMES, None), "late": POLICIES[policy]}
    config = PyFileConfigLoader("nbgrader_config.py", path=str(tmp_path)).load_config()
    about = {"notebook": LESSON, "assignment": LESSON, "db_url": url(tmp_path)}
    for student in TIMES:
        AssignLatePenalties(config=config).preprocess(new_notebook(), {"nbgrader": {**about, "student": student}})
    assert penalties(tmp_path) == ours


def test_what_is_said_later_counts_without_grading_again(tmp_path: Path, released: Any) -> None:
    records = graded(tmp_path, released, "get_config().LateSubmissionPlugin.penalty_method = 'zero'")

    def lose() -> set[str]:
        with records:
            records.settle(TIMES)
        return {student for student, points in penalties(tmp_path).items() if points}

    assert lose() == {"late"}
    with book(tmp_path) as found:
        found.grant_extension(LESSON, "late", hours=25)
    assert lose() == set()
    with book(tmp_path) as found:
        found.grant_extension(LESSON, "late", hours=24)
        found.update_or_create_assignment(LESSON, duedate="2026-03-01 10:30:00")
    assert lose() == {"early", "late", "on_the_dot"}
    with book(tmp_path) as found:
        found.update_or_create_assignment(LESSON, duedate=None)
    assert lose() == set()


@pytest.mark.parametrize(("days", "lost"), {"": 6.5, "1": 6.5, "1.05": None, "1,05": None, "7": None}.items())
def test_whoever_has_longer_in_every_lesson_has_it_by_the_roster(
    tmp_path: Path, released: Any, days: str, lost: float | None
) -> None:
    roster = f"id;extra_days\nlate;{days}\nearly;3\n"
    graded(tmp_path, released, "get_config().LateSubmissionPlugin.penalty_method = 'zero'", roster)
    assert penalties(tmp_path) == {**dict.fromkeys(TIMES, None), "late": lost}


def test_the_longer_of_two_extensions_holds(tmp_path: Path, released: Any) -> None:
    with graded(tmp_path, released, "", "id,extra_days\nlate,2\n") as records:
        assert extension(tmp_path) == timedelta(days=2)
        with book(tmp_path) as found:
            found.grant_extension(LESSON, "late", days=5)
        records.settle(TIMES)
        assert extension(tmp_path) == timedelta(days=5)
        with book(tmp_path) as found:
            found.grant_extension(LESSON, "late", days=1)
        records.settle(TIMES)
        assert extension(tmp_path) == timedelta(days=2)


def extension(root: Path) -> timedelta | None:
    with book(root) as found:
        return found.find_submission(LESSON, "late").extension


@pytest.mark.parametrize("days", ["two", "-1", "nan", "1e9"])
def test_days_that_are_no_number_are_said(tmp_path: Path, days: str) -> None:
    (tmp_path / "students.csv").write_text(f"id,extra_days\nkim,3\nlate,{days}\n")
    with pytest.raises(CourseError, match=rf"has extra_days in line 3 that are no number of days .* '{days}'"):
        extra_time(tmp_path / "students.csv")


def test_a_time_that_is_not_known_leaves_the_one_that_is(tmp_path: Path, released: Any) -> None:
    with graded(tmp_path, released, "") as records:
        records.save("late", with_points(released, 1))
    with book(tmp_path) as found:
        assert found.find_submission(LESSON, "late").timestamp == TIMES["late"]


def test_a_plug_in_may_lie_beside_the_configuration(tmp_path: Path, released: Any) -> None:
    (tmp_path / "late_by_tenths.py").write_text(OWN.partition("\nc = ")[0].format("score / 10"))
    graded(tmp_path, released, "get_config().AssignLatePenalties.plugin_class = 'late_by_tenths.Own'")
    assert penalties(tmp_path)["late"] == 0.65


def test_a_policy_that_fails_is_told_in_one_sentence(tmp_path: Path, released: Any) -> None:
    with pytest.raises(CourseError, match=r"What late loses .*/nbgrader_config\.py fails: ZeroDivisionError"):
        graded(tmp_path, released, OWN.format("1 / 0"))


def test_the_configuration_that_is_shipped_takes_nothing(
    course: Course, tmp_path: Path, released: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = copy_course(course, tmp_path / "course")
    monkeypatch.chdir(root)
    graded(root, released, (root / "nbgrader_config.py").read_text())
    assert set(penalties(root).values()) == {None}
