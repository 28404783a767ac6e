"""What a late submission loses: just what nbgrader takes, by when it came in, when it was due, and extensions."""

from __future__ import annotations

import json
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

from autograder.collecting.roster import enrolled, read_roster
from autograder.gradebook.gradebook import Records
from autograder.gradebook.lateness import Lateness
from autograder.records.archive import Archive
from benchmarks.large_class import fill
from course_lib.course import Course, CourseError, find_course

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
#: what stands in nbgrader_config.py, and what it costs who is 25 hours late and has half the points
POLICIES = {
    "": None,
    "get_config().LateSubmissionPlugin.penalty_method = 'zero'": POINTS / 2,
    OWN.format("total_seconds_late / 36_000"): 2.5,
    OWN.format("score + 1"): POINTS / 2,
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


def graded(root: Path, released: Any, policy: str, roster: str = "id", due: datetime | None = DUE) -> Records:
    """A class that has half of the points each."""
    (root / "nbgrader_config.py").write_text(policy)
    (root / "students.csv").write_text(roster)
    with Records(url(root), LESSON, lateness=Lateness(root, enrolled(root / "students.csv", None))) as records:
        records.register(released)
        with book(root) as found:
            found.update_or_create_assignment(LESSON, duedate=due)
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


@pytest.mark.parametrize(
    ("days", "lost"), {"": POINTS / 2, "1": POINTS / 2, "1.05": None, "1,05": None, "7": None}.items()
)
def test_whoever_has_longer_in_every_lesson_has_it_by_the_roster(
    tmp_path: Path, released: Any, days: str, lost: float | None
) -> None:
    roster = f"id;extra_days\nlate;{days}\nearly;3\n"
    graded(tmp_path, released, "get_config().LateSubmissionPlugin.penalty_method = 'zero'", roster)
    assert penalties(tmp_path) == {**dict.fromkeys(TIMES, None), "late": lost}


def test_extra_days_of_one_lesson_count_for_no_other(tmp_path: Path) -> None:
    roster = tmp_path / "students.csv"
    roster.write_text("id,extra_days,extra_days_03,extra_days_05_positional_encoding\nkim,2,1,\nlee,,7,3\n")
    days = {
        member.id: [member.extra_time(lesson).days for lesson in (LESSON, "05_positional_encoding", "06_encoder_block")]
        for member in read_roster(roster).members
    }
    assert days == {"kim": [2, 2, 2], "lee": [7, 3, 0]}
    roster.write_text("id,extra_days_30\nkim,2\n")
    with pytest.raises(CourseError, match="has a column extra_days_30, but no lesson is called '30'"):
        read_roster(roster)


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


def test_who_has_longer_is_entered_once_there_is_a_due_date(tmp_path: Path, released: Any) -> None:
    with graded(tmp_path, released, "", "id,extra_days\nlate,2\n", due=None) as records:
        assert extension(tmp_path) is None
        about = {"notebook": LESSON, "assignment": LESSON, "student": "late", "db_url": url(tmp_path)}
        AssignLatePenalties().preprocess(new_notebook(), {"nbgrader": about})
        with book(tmp_path) as found:
            found.update_or_create_assignment(LESSON, duedate=DUE)
        records.settle(TIMES)
        assert extension(tmp_path) == timedelta(days=2)


def extension(root: Path) -> timedelta | None:
    with book(root) as found:
        return found.find_submission(LESSON, "late").extension


@pytest.mark.parametrize("days", ["two", "-1", "nan", "1e9"])
def test_days_that_are_no_number_are_said(tmp_path: Path, days: str) -> None:
    (tmp_path / "students.csv").write_text(f"id,extra_days\nkim,3\nlate,{days}\n")
    with pytest.raises(CourseError, match=rf"has extra_days on line 3 that is not a number of days .* '{days}'"):
        enrolled(tmp_path / "students.csv", None)


def test_other_penalties_are_shown_before_they_are_written(course: Course, tmp_path: Path) -> None:
    root = copy_course(course, tmp_path / "course")
    (root / "nbgrader_config.py").write_text("get_config().LateSubmissionPlugin.penalty_method = 'zero'")
    archive, handed_in = Archive(root / "class"), course.student_notebook(LESSON).read_bytes()
    fill(find_course(root), archive, 3, handed_in)
    for number in range(3):
        (archive.submitted / f"student0000{number}" / LESSON / "timestamp.txt").write_text(
            f"2026-03-0{number + 1} 11:00:00"
        )
    with book(root / "class") as found:
        scores = {one.student.id: one.score for one in found.assignment_submissions(LESSON)}
    assert all(scores[f"student0000{number}"] for number in (1, 2)), "there is something to lose"
    assert "No grade could be another by now." in run_course(root, "regrade", "03").out
    with book(root / "class") as found:
        found.update_or_create_assignment(LESSON, duedate=DUE)
    nobody = {student: None for student in scores}
    late = {student: scores[student] for student in ("student00001", "student00002")}
    dry = run_course(root, "grade", "03", "--dry-run", "--json", "changes.json")
    for ran in (dry, run_course(root, "regrade", "03", answer="n\n")):
        assert ran.code == 0, ran
        assert f"2 grades change, by −{sum(late.values()):g} points in total." in ran.out
        assert "Nothing was written." in ran.out and penalties(root / "class") == nobody
    changes = json.loads((root / "changes.json").read_text())
    assert [(one["student"], one["exercise"], -one["new"]) for one in changes] == [
        (student, "late", points) for student, points in late.items()
    ]
    ran = run_course(root, "regrade", "03", answer="y\n")
    assert ran.code == 0 and "Written." in ran.out, ran
    assert penalties(root / "class") == {**nobody, **late}
    archive.roster.write_text("id,extra_days_03\nstudent00001,9\n")
    said = " ".join(run_course(root, "grade", "03", "--class", "class").out.split())
    assert f"Next: course feedback {LESSON} --class class, course report {LESSON} --class class" in said
    assert f"1 student loses other points for being late by now: student00001 {late['student00001']:g} → 0." in said
    assert penalties(root / "class") == {**nobody, "student00002": late["student00002"]}
    assert "by the roster" not in said
    archive.roster.write_text("id,extra_days_03\nstudent00001,3\n")
    said = " ".join(run_course(root, "grade", "03").out.split())
    longer = f"Longer for {LESSON} by the gradebook than by the roster and deadlines.csv: student00001 9 days, not"
    assert (
        f"{longer} 3. The longer holds. To take it back: course deadlines {LESSON} --as-granted. To keep it: course"
        in said
    )
    assert penalties(root / "class") == {**nobody, "student00002": late["student00002"]}
    archive.roster.write_text("id,extra_days_03\nstudent00001,\n")
    said = " ".join(run_course(root, "grade", "03").out.split())
    assert f"{longer} 0. The longer holds." in said, "days that were removed from the roster are reported"
    assert f"{longer} 0." in " ".join(run_course(root, "deadlines").out.split())
    ran = run_course(root, "deadlines", "03", "--as-granted")
    assert ran.code == 0 and "Longer for" not in ran.out, ran
    run_course(root, "grade", "03")
    assert penalties(root / "class") == {**nobody, **late}


def test_a_time_that_is_not_known_leaves_the_one_that_is(tmp_path: Path, released: Any) -> None:
    with graded(tmp_path, released, "") as records:
        records.save("late", with_points(released, 1))
    with book(tmp_path) as found:
        assert found.find_submission(LESSON, "late").timestamp == TIMES["late"]


def test_a_plug_in_may_lie_beside_the_configuration(tmp_path: Path, released: Any) -> None:
    (tmp_path / "late_by_tenths.py").write_text(OWN.partition("\nc = ")[0].format("score / 10"))
    graded(tmp_path, released, "get_config().AssignLatePenalties.plugin_class = 'late_by_tenths.Own'")
    assert penalties(tmp_path)["late"] == POINTS / 2 / 10


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
