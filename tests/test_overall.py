"""The overall mark weighs lessons by points or weights, drops the lowest, and never contains a 0 that nobody gave."""

from __future__ import annotations

import csv
import io
import shutil
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

import pytest
from conftest import run_course
from test_exports import MEMBERS

from autograder.exporting.class_grades import class_grades
from autograder.exporting.formats import FORMATS
from autograder.exporting.with_mark import grades_with_mark
from autograder.gradebook.lesson_grades import LessonGrade, LessonGrades
from autograder.records.overall import Mark, Weighting, marks, weighting_of
from autograder.records.report_page import ClassOfLesson
from course_lib.course import Course, CourseError, read_course

A, B, C = "03_self_attention", "04_multi_head_attention", "05_positional_encoding"
BY_POINTS = Weighting({}, 0)


def book(**students: tuple[Any, ...]) -> LessonGrades:
    """A gradebook: for each student three lessons, each of points, None (not handed in), "?" (no points) or "7w"."""

    def grade(said: Any) -> LessonGrade:
        waits = isinstance(said, str) and said.endswith("w")
        score = None if said == "?" else float(said[:-1]) if waits else float(said)
        undecided = "cut in half" if said == "?" else ""
        return LessonGrade(score, score or 0.0, 0.0, 2 if waits else 0, None, undecided)

    grades: dict[str, dict[str, LessonGrade]] = {A: {}, B: {}, C: {}}
    for student, said in students.items():
        for lesson, one in zip(grades, said, strict=True):
            if one is not None:
                grades[lesson][student] = grade(one)
    return LessonGrades({A: 10.0, B: 20.0, C: 10.0}, dict.fromkeys(grades), grades)


def mark(*points: Any, weighting: Weighting = BY_POINTS, zero: bool = False, **others: Any) -> Mark:
    return marks(book(ada=points, **(others or {"kim": (1, 1, 1)})), ["ada"], weighting, zero)["ada"]


@pytest.mark.parametrize(("weights", "drop", "value"), [
    ({}, 0, 62.5),  # (10 + 10 + 5) of 40
    ({A: 2.0}, 0, 75.0),  # (2 · 1 + ½ + ½) of 4
    ({A: 2.0, B: 0.0}, 0, 83.33),  # (2 · 1 + ½) of 3
    ({}, 1, 75.0),  # the first of the two lowest is B: 15 of 20
    ({A: 2.0}, 1, 83.33),
    ({}, 9, 50.0),  # one lesson always counts
])  # fmt: skip
def test_lessons_count_by_points_or_weights_without_the_lowest(
    weights: Mapping[str, float], drop: int, value: float
) -> None:
    found = mark(10, 10, 5, weighting=Weighting(weights, drop))
    assert found.value == (100.0 if drop == 9 else value)


def test_a_missing_submission_is_not_a_0_and_says_so() -> None:
    missing = mark(10, None, 5)
    assert (missing.value, missing.unsettled) == (None, f"{B} not handed in")
    assert mark(10, None, 5, zero=True).value == 37.5
    assert mark(10, None, 5, weighting=Weighting({}, 1)).value == 75.0, "the missing lesson is dropped"
    assert mark(None, None, 5, weighting=Weighting({}, 1)).value is None


def test_a_lesson_that_nobody_has_been_graded_in_is_not_in_the_mark() -> None:
    found = mark(10, None, None, kim=(1, 1, None))
    assert [one.lesson for one in found.lessons] == [A, B]
    assert mark(10, None, None, kim=(1, None, None)).value == 100.0


def test_a_pending_decision_leaves_the_mark_open_whatever_is_dropped_or_counts_as_0() -> None:
    for weighting in (BY_POINTS, Weighting({}, 1)):
        found = mark(10, "?", 5, weighting=weighting, zero=True)
        assert (found.value, found.unsettled) == (None, f"{B} needs a decision")
    assert mark(10, "10w", 5).unsettled == f"{B} waits for a grader"


def export(
    format: str, grades: LessonGrades, lessons: Any = (), absent: Any = "empty", ungraded: Any = "refuse"
) -> Any:
    exported, remarks = grades_with_mark(grades, lessons, MEMBERS, BY_POINTS, absent, ungraded)
    return list(csv.reader(io.StringIO(FORMATS[format](exported, "")))), remarks


FULL = book(ada=(10, 10, 5), kim=(10, None, 5), late=(10, "?", 5))


@pytest.mark.parametrize(("format", "empty"), [("canvas", ""), ("moodle", "-")])
@pytest.mark.parametrize(("absent", "kim", "nobody"), [("empty", None, None), ("zero", "37.5", "0")])
def test_the_mark_is_a_column_whose_cells_are_empty_while_it_is_not_known(
    format: str, empty: str, absent: Literal["empty", "zero"], kim: str | None, nobody: str | None
) -> None:
    rows, remarks = export(format, FULL, "all", absent)
    assert rows[0][-4:] == [A, B, C, "mark"]
    assert [row[-1] for row in rows[-4:]] == ["62.5", kim or empty, empty, nobody or empty]
    assert any("no mark yet" in remark and f"late ({B} needs a decision)" in remark for remark in remarks)
    alone, _ = export(format, FULL, (), absent)
    assert [row[-1] for row in alone] == [row[-1] for row in rows] and len(alone[0]) == len(rows[0]) - 3


def test_in_nbgraders_columns_the_mark_is_a_row_for_each_student() -> None:
    rows, _ = export("csv", FULL)
    assert [(row[0], row[3], row[-2], row[-1]) for row in rows[1:3]] == [
        ("mark", "ada", "62.5", "100"),
        ("mark", "kim", "", "100"),
    ]


def test_a_mark_over_what_waits_is_refused_empty_or_so_far() -> None:
    waiting = book(ada=(10, "10w", 5))
    with pytest.raises(CourseError, match=r"2 parts of 1 submissions? waits? .*ada"):
        export("canvas", waiting)
    assert export("canvas", waiting, ungraded="empty")[0][2][-1] == ""
    assert export("canvas", waiting, ungraded="so-far")[0][2][-1] == "62.5"


def test_the_report_shows_the_mark_and_why_there_is_none() -> None:
    found = marks(FULL, ["ada", "kim", "late"], Weighting({A: 2.0}, 1), absent_is_zero=False)
    lesson = ClassOfLesson(A, [], names={"ada": "Ada Lovelace"}, marks=found, marks_by=Weighting({A: 2.0}, 1).in_words)
    page = lesson.page()
    assert "83.33 %" in page and "10 (left out)" in page
    assert "not handed in (left out)" in page and "needs a decision" in page and "Ada Lovelace" in page
    assert f"({A} 2, any other 1)" in page and "lowest lesson, by share of the points." in page
    assert "Ada Lovelace" not in lesson.without_names().page(), "the page for a projector has no marks"
    assert lesson.as_json()["marks"]["late"]["value"] is None


def test_weights_are_for_lessons(course: Course, tmp_path: Path) -> None:
    def course_with(text: str) -> Course:
        (tmp_path / "lessons").mkdir(exist_ok=True)
        (tmp_path / f"lessons/{A}.md").touch()
        (tmp_path / "course.toml").write_text(text)
        return read_course(tmp_path)

    assert weighting_of(course_with("[mark]\nweights = {03 = 2}\ndrop_lowest = 1\n")) == Weighting({A: 2.0}, 1)
    with pytest.raises(CourseError, match=r"course\.toml, mark\.weights: There is no lesson called '99'.*03_self_att"):
        weighting_of(course_with("[mark]\nweights = {99 = 2}\n"))
    for wrong in ("weights = {03 = -1}", "weights = 3", "drop_lowest = 1.5", "drop_lowest = -1", "drop_lowest = true"):
        with pytest.raises(CourseError, match=r"mark\.(weights|drop_lowest) is"):
            course_with(f"[mark]\n{wrong}\n")


@pytest.mark.slow
def test_a_mark_is_exported_and_said(graded_class: Any, tmp_path: Path) -> None:
    ran = run_course(
        graded_class.root,
        "grades",
        "mark",
        "--format",
        "canvas",
        "--ungraded",
        "so-far",
        "--to",
        str(tmp_path / "m.csv"),
    )
    assert ran.code == 0, ran
    assert "Late Policies" in ran.out, "Canvas may deduct a second time"
    rows = list(csv.reader((tmp_path / "m.csv").open(encoding="utf-8")))
    assert rows[0][-1] == "mark" and rows[1][-1] == "100"
    assert ["right_1", "100"] in [[row[2], row[-1]] for row in rows]


OPEN = replace(FULL, open_until={B: datetime(2100, 3, 1, 22, 59)})


@pytest.mark.parametrize(("absent", "warned"), [("empty", False), ("zero", True)])
def test_zero_points_for_a_lesson_that_still_accepts_work_come_with_a_warning(absent: str, warned: bool) -> None:
    _, remarks = export("canvas", OPEN, "all", absent)
    assert any(f"{B} still accepts work until 2100-03-01 22:59 UTC" in one for one in remarks) == warned
    assert not any("accepts work until" in one for one in export("canvas", FULL, "all", absent)[1])
    single = class_grades(OPEN, [A], MEMBERS, "zero").remarks()
    assert not any("accepts work" in one for one in single), "only the exported lessons matter"


@pytest.mark.parametrize(("weights", "named"), [({}, True), ({B: 2.0}, True), ({B: 0.0}, False)])
def test_a_mark_names_the_lessons_that_count_and_still_accept_work(weights: Mapping[str, float], named: bool) -> None:
    _, remarks = grades_with_mark(OPEN, "all", MEMBERS, Weighting(weights, 0), "empty", "refuse")
    assert any(f"work is still accepted: {B} (until 2100-03-01 22:59 UTC)." in one for one in remarks) == named


@pytest.mark.slow
def test_an_export_knows_the_due_date_and_the_extensions(graded_class: Any, tmp_path: Path) -> None:
    root = tmp_path / "course"
    shutil.copytree(graded_class.root, root, symlinks=True)
    (root / "class/students.csv").write_text("id\nright_1\nabsent\n")

    def warned(*arguments: str) -> bool:
        ran = run_course(root, "grades", *arguments, "--ungraded", "so-far", "--to", "m.csv", "--absent", "zero")
        assert ran.code == 0, ran
        return "Warning: " in ran.out

    due = f"{datetime.now(UTC) - timedelta(days=1):%Y-%m-%d %H:%M}"
    assert run_course(root, "deadlines", "03", due).code == 0
    assert not warned("mark") and not warned("03")
    extended = run_course(root, "deadlines", "03", "--student", "absent", "--extra-days", "3")
    assert extended.code == 0, extended
    assert warned("mark") and warned("03")
