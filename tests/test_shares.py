"""Exercises come to be worth other points: whoever is not graded again keeps a share of them, and it is said first."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import nbformat
import pytest
from conftest import LESSON, POINTS, copy_course, run_course
from nbgrader.api import Gradebook

from autograder.exercises import DEFINITIONS
from autograder.records.archive import Archive
from benchmarks.large_class import fill
from course_lib.course import Course, find_course

#: whose file is not there any more; who has points of a person's, too; whose file cannot be read; who was late
GONE, BY_HAND, UNREADABLE, LATE = (f"student0000{number}" for number in range(4))
SHARE = {"softmax": 0.5, "self_attention": 3}
WORTH = {name: DEFINITIONS[name].exercise.points for name in SHARE}
#: how many more points the lesson is worth then
MORE = sum(WORTH[name] * (share - 1) for name, share in SHARE.items())


@pytest.fixture
def other_points(course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A class of four that was graded; then two exercises are built with other points, and no file can be read."""
    root = copy_course(course, tmp_path / "course")
    (root / "nbgrader_config.py").write_text("get_config().LateSubmissionPlugin.penalty_method = 'zero'")
    fill(find_course(root), Archive(root / "class"), 4)
    with book(root) as found:
        found.find_grade("check-softmax", LESSON, LESSON, BY_HAND).manual_score = 2.75
        found.find_submission(LESSON, LATE).timestamp = datetime(2026, 3, 2)
        found.update_or_create_assignment(LESSON, duedate=datetime(2026, 3, 1))
        late = found.find_submission_notebook(LESSON, LESSON, LATE)
        late.late_submission_penalty = late.score
        found.db.commit()
    (root / "class/submitted" / UNREADABLE / LESSON).mkdir(parents=True)
    path = root / f"notebooks/{LESSON}/{LESSON}.ipynb"
    notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    for cell in notebook.cells:
        about = cell.metadata.get("nbgrader", {})
        if about.get("points"):
            about["points"] *= SHARE.get(about["grade_id"].removeprefix("check-"), 1)
    nbformat.write(notebook, path)
    monkeypatch.setattr("autograder.building.build.require_fresh", lambda *_: None)
    return root


def book(root: Path) -> Gradebook:
    return Gradebook(f"sqlite:///{root}/class/gradebook.db")


def grades(root: Path) -> dict[str, dict[str, float]]:
    """The grader's own points, by student and exercise, as the gradebook has them."""
    with book(root) as found:
        return {
            one.student.id: {grade.name.removeprefix("check-"): grade.auto_score for grade in one.notebooks[0].grades}
            for one in found.assignment_submissions(LESSON)
        }


def scaled(points: dict[str, float]) -> Any:
    return pytest.approx({name: score * SHARE.get(name, 1) for name, score in points.items()})


def record(root: Path, student: str) -> Any:
    return json.loads((root / f"class/records/{LESSON}/{student}.json").read_text())


def test_what_stays_keeps_its_share_and_is_shown_before_it_is_written(other_points: Path) -> None:
    before = grades(other_points)
    records = {student: record(other_points, student) for student in before}
    dry = run_course(other_points, "grade", "03", "--dry-run", "--json", "changes.json")
    for ran in (dry, run_course(other_points, "regrade", "03", answer="n\n")):
        assert ran.code == 0 and "Nothing was written." in ran.out, ran
        assert grades(other_points) == before
    shown = json.loads((other_points / "changes.json").read_text())
    other = {(s, name) for s, theirs in before.items() for name in SHARE if theirs[name]} | {(BY_HAND, "softmax")}
    assert {(one["student"], one["exercise"]) for one in shown} == other | {(LATE, "late")}
    for one in shown:
        if (one["student"], one["exercise"]) == (BY_HAND, "softmax"):
            assert (one["old"], one["new"]) == (2.75, 2.75), "a person's score stays"
            assert one["found"] == "given by hand, kept, above the new maximum: it waits"
        elif one["exercise"] != "late":
            assert one["new"] == pytest.approx(one["old"] * SHARE[one["exercise"]])
            assert one["why"].startswith("kept: there is no ") and " points, not " in one["why"]
    ran = run_course(other_points, "regrade", "03", answer="y\n")
    assert ran.code == 0 and "Written." in ran.out, ran
    after = grades(other_points)
    assert after == {student: scaled(points) for student, points in before.items()}
    with book(other_points) as found:
        assert found.find_assignment(LESSON).max_score == POINTS + MORE != POINTS
        assert found.find_grade("check-softmax", LESSON, LESSON, BY_HAND).score == 2.75
        assert found.find_submission(LESSON, LATE).score == pytest.approx(
            found.find_submission_notebook(LESSON, LESSON, LATE).late_submission_penalty
        )
    for student, earlier in records.items():
        now = record(other_points, student)
        assert now["max_score"] == earlier["max_score"] + MORE
        assert {name: one["score"] for name, one in now["exercises"].items()} == scaled(
            {name: one["score"] for name, one in earlier["exercises"].items()}
        )
        said = "softmax is worth 1.5 points by now; this earlier grade keeps its share of them"
        assert said in now["notes"] and bool(now["kept"]) == (student == UNREADABLE)
    told = " ".join(run_course(other_points, "history", GONE).out.split())
    worth = ", ".join(f"{name} is worth {WORTH[name] * SHARE[name]:g} points, not {WORTH[name]:g}" for name in SHARE)
    assert f"the course has changed ({worth})" in told
    again = run_course(other_points, "regrade", "03", answer="y\n")
    assert "No grade changes." in again.out and grades(other_points) == after


@pytest.mark.parametrize("by_nbgrader", [False, True])
def test_who_keeps_a_share_is_named_by_grading_too(other_points: Path, by_nbgrader: bool) -> None:
    before = grades(other_points)
    if by_nbgrader:  # its generate_assignment enters the points, and leaves grades as they are
        with book(other_points) as found:
            for name, share in SHARE.items():
                found.find_grade_cell(f"check-{name}", LESSON, LESSON).max_score *= share
            found.db.commit()
    ran = run_course(other_points, "grade", "03")
    assert ran.code == 0, ran
    said = " ".join(ran.out.split())
    difference = {s: sum(points * (SHARE.get(n, 1) - 1) for n, points in before[s].items()) for s in (GONE, LATE)}
    assert any(difference.values())
    assert "without a submission keep their share of exercises that are worth other points by now: " in said
    assert (GONE in said.partition("keep their share")[2]) == bool(difference[GONE])
    assert grades(other_points) == {student: scaled(points) for student, points in before.items()}
    assert "keep their share" not in run_course(other_points, "grade", "03").out
