"""The class report: what it counts, what it withholds, and whether everyone can read it."""

from __future__ import annotations

import csv
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import nbformat
import pytest
from accessibility import serious_findings
from conftest import LESSON, GradedClass, run_course
from nbgrader.coursedir import CourseDirectory
from playwright.sync_api import Browser
from tiers import slow

from autograder.gradebook.parts import Part
from autograder.records.archive import Archive
from autograder.records.record import ExerciseRecord, Record
from autograder.records.report import Cell, class_report
from autograder.records.report_page import ClassOfLesson, LessonTrend
from autograder.terminal import results_table, summarise
from autograder.terminal_history import show_history


def exercise(score: float, most: float = 2.0, **found: Any) -> ExerciseRecord:
    empty = {"misconception": None, "broken_laws": [], "sentences": {}, "carried": None, "error": None}
    return ExerciseRecord(score=score, max_score=most, **{**empty, **found})  # type: ignore[typeddict-item]


def record(student: str, *exercises: ExerciseRecord, **more: Any) -> Record:
    named = {f"exercise_{number}": one for number, one in enumerate(exercises, start=1)}
    about = {"status": "graded", "reason": "", "courses_fault": False, "asked": True, "waiting": [], "to_review": 0}
    about |= {
        "above_maximum": 0,
        "answers": {},
        "scored": {},
        "decision": "",
        "unseen": {},
        "time_note": "",
        "file": "",
        "look": [],
        "doubts": [],
    }
    about |= {
        "kept": "",
        "earlier": None,
        "doubts": [],
        "late": 0.0,
        "notes": [],
        "sandboxed": True,
        "digest": "",
        "lesson": LESSON,
    }
    score = sum(one["score"] for one in exercises)
    most = sum(one["max_score"] for one in exercises)
    return Record(**{**about, "student": student, "score": score, "max_score": most, "exercises": named, **more})  # type: ignore[typeddict-item]


RIGHT = exercise(2.0)
NAMED = exercise(0.5, misconception="upside_down", sentences={"upside_down": "You turn it over."}, broken_laws=["up"])
UNNAMED = exercise(1.0, broken_laws=["up"])
BLANK = exercise(0.0, error="NotImplementedError", broken_laws=["up"])
STOPS = exercise(0.0, error="ValueError", broken_laws=["up"])
CARRIED = exercise(2.0, carried=["exercise_1", "upside_down"])
NOT_GRADED = record("cut", status="failed", reason="not a notebook", score=None, max_score=4.0)

KINDS = [
    (RIGHT, "right", ""),
    (NAMED, "named", "upside_down"),
    (UNNAMED, "unnamed", ""),
    (BLANK, "blank", ""),
    (STOPS, "error", "ValueError"),
    (exercise(1.0), "marked", ""),
    (exercise(0.0, error="Unanswered"), "error", "no answer"),
    (CARRIED, "carried", "exercise_1"),
    (exercise(0.5, carried=["exercise_1", "upside_down"]), "hidden", "exercise_1"),
]


@pytest.mark.parametrize(("result", "said"), [
    (BLANK, "nothing is written"),
    (exercise(0.0, misconception="upside_down"), "exercise_1 0 / 2: upside_down"),
    (STOPS, "exercise_1 0 / 2: ValueError"),
    (exercise(1.0, broken_laws=["up"]), "exercise_1 1 / 2: a mistake without a name"),
    (exercise(1.0), "exercise_1 1 / 2: right, but a grader gave these points"),
])  # fmt: skip
def test_the_table_says_what_earned_nothing_and_whether_anything_is_written(result: ExerciseRecord, said: str) -> None:
    (found,) = results_table([record("ada", result)]).columns[2].cells
    assert found == said


def test_the_table_asks_for_a_look_where_right_code_may_have_lost_points() -> None:
    missing = "line 1 of cell 5, which `split_heads` needs, imports einops"
    lost, given = record("ada", STOPS, look=[missing]), record("bo", RIGHT, look=[missing])
    first, second = results_table([lost, given]).columns[2].cells
    assert str(first).split("\n")[-1] == f"NEEDS A LOOK: {missing}"
    assert second == "", "a person gave the points"


def test_the_summary_names_those_who_need_a_look(capsys: pytest.CaptureFixture[str]) -> None:
    summarise(
        [record("ada", STOPS, look=["why"]), record("bo", STOPS), record("cy", RIGHT, look=["why"])], Archive(Path())
    )
    said = next(line for line in capsys.readouterr().out.splitlines() if "look at" in line)
    assert "1 submission to look at" in said
    assert said.endswith("may have lost points: ada. Read the code, and give the points in formgrader.")


@pytest.mark.parametrize(("result", "kind", "says"), KINDS, ids=[kind + says for _, kind, says in KINDS])
def test_an_exercise_has_one_of_seven_outcomes(result: ExerciseRecord, kind: str, says: str) -> None:
    cell = Cell.of(result)
    assert (cell.kind, cell.says) == (kind, says)


def test_blanks_errors_and_mistakes_without_a_name_are_told_apart() -> None:
    chosen = {"r": RIGHT, "n1": NAMED, "n2": NAMED, "u": UNNAMED, "b": BLANK, "s": STOPS, "c": CARRIED}
    [found] = class_report([*(record(name, one) for name, one in chosen.items()), NOT_GRADED])
    assert found.misconceptions == (("upside_down", "You turn it over.", ("n1", "n2")),)
    assert (found.unnamed, found.blank, found.carried) == (("u",), ("b",), ("c",))
    assert found.errors == (("ValueError", ("s",)),)
    assert found.broken == (("up", 4),), "a blank breaks no check"
    assert (found.graded, found.full, found.mean) == (7, 2, pytest.approx(6.0 / 7))


def test_an_exercise_that_goes_with_the_rest_correlates_with_it() -> None:
    low, high = exercise(0.0, error="ValueError"), RIGHT
    class_ = [record(f"s{n}", *([high] * 3 if n % 2 else [low, low, high if n == 2 else low])) for n in range(12)]
    first, _, last = class_report(class_)
    assert first.discrimination == pytest.approx(22 / (12 * (100 - 26**2 / 12)) ** 0.5)  # on paper
    assert last.discrimination is not None and last.discrimination < first.discrimination
    assert [one.discrimination for one in class_report(class_[:9])] == [None] * 3
    assert [one.discrimination for one in class_report([record(f"s{n}", RIGHT, RIGHT) for n in range(12)])] == [
        None
    ] * 2


def late_class() -> ClassOfLesson:
    """A class with written questions, in which one penalty is larger than the student's points."""
    ada = record("ada", RIGHT, NAMED, late=0.5, score=3.5, max_score=8.0)
    sam = record("sam", RIGHT, BLANK, score=3.0, max_score=8.0)
    parts = {
        "ada": {"written-why": Part(0.0, 2.0), "written-how": Part(1.5, 2.0, by_person=True)},
        "sam": {"written-why": Part(1.0, 2.0, by_person=True, waits=True), "written-how": Part(None, 2.0, waits=True)},
        "cut": {"exercise_1": Part(1.0, 2.0, by_person=True), "written-why": Part(None, 2.0, waits=True)},
        "poor": {"written-why": Part(0.0, 2.0), "written-how": Part(0.0, 2.0)},
    }
    poor = record("poor", NAMED, BLANK, late=3.0, score=0.0, max_score=8.0)
    cut = record("cut", status="failed", reason="not a notebook", score=1.0, max_score=8.0)
    written = ["written-why", "written-how"]
    names = {"ada": "Ada <b>Lovelace</b>", "gone": "Gone Girl"}
    return ClassOfLesson(LESSON, [ada, sam, cut, poor], ["gone"], parts=parts, written=written, names=names)


def test_the_parts_of_every_row_add_up_to_its_points() -> None:
    for row in late_class().everyone.rows:
        earned = sum(cell.score for cell in row.cells if cell)
        assert row.record["score"] == pytest.approx(earned - row.late), row.record["student"]
    assert [row.late for row in late_class().everyone.rows] == [0.5, 0, 0, 0.5], "nobody loses more than they have"


@pytest.mark.parametrize("waits", [False, True])
def test_written_answers_of_an_accepted_submission_stay_in_its_row(waits: bool) -> None:
    ada = record("ada", RIGHT, score=3.0 - waits, max_score=4.0, decision="decided: accepted")
    why = Part(None, 2.0, waits=True) if waits else Part(1.0, 2.0, by_person=True)
    lesson = ClassOfLesson(LESSON, [ada], parts={"ada": {"written-why": why}}, written=["written-why"])
    [row] = csv.DictReader(lesson.as_csv().splitlines())
    assert (row["written-why"], row["written-why: found"]) == (("", "waits") if waits else ("1", "marked"))
    assert sum(cell.score for cell in lesson.everyone.rows[0].cells if cell) == ada["score"]


def test_a_part_that_an_earlier_mistake_hides_is_not_shown_as_right_until_a_person_gives_points() -> None:
    hidden = record("ada", NAMED, exercise(0.5, carried=["exercise_1", "upside_down"]))
    lesson = ClassOfLesson(LESSON, [hidden])
    assert '<td class="hidden">↷? 0.5<br>but for ' in lesson.page()
    assert class_report([hidden])[1].hidden == ("ada",) and class_report([hidden])[1].carried == ()
    parts = {"ada": {"exercise_2": Part(0.5, 2.0, by_person=True)}}
    [row] = ClassOfLesson(LESSON, [hidden], parts=parts).everyone.rows
    assert row.cells[1] == Cell("marked", 0.5, "")


def test_a_score_by_hand_above_the_maximum_waits_in_its_cell_and_in_the_total() -> None:
    """An exercise that was worth 3 points, all given by hand, is worth 2 now."""
    above = record("ada", exercise(3.0), RIGHT, to_review=1, above_maximum=1)
    review = record("sam", exercise(1.0), RIGHT, to_review=1)
    parts = {
        "ada": {"exercise_1": Part(3.0, 2.0, by_person=True, waits=True), "exercise_2": Part(2.0, 2.0)},
        "sam": {"exercise_1": Part(1.0, 2.0, by_person=True, waits=True), "exercise_2": Part(2.0, 2.0)},
    }
    lesson = ClassOfLesson(LESSON, [above, review, record("kim", RIGHT, RIGHT)], parts=parts)
    first, second = (row.cells[0] for row in lesson.everyone.rows[:2])
    assert first == Cell("waits", 3.0, "3 of 2, waits")
    assert second == Cell("marked", 1.0, "to be confirmed by a grader")
    page = lesson.page()
    assert '<td class="waits">… 3 of 2, waits</td>' in page
    assert "5 / 4, waits for a grader</td>" in page and "3 / 4, waits for a grader</td>" in page
    assert ">4 / 4</td>" in page
    rows = {row["student"]: row for row in csv.DictReader(lesson.as_csv().splitlines())}
    assert (rows["ada"]["exercise_1"], rows["ada"]["exercise_1: found"]) == ("3", "3 of 2, waits")
    assert rows["ada"]["points"] == "5"


def test_a_submission_that_cannot_be_graded_asks_for_a_decision_until_there_is_one() -> None:
    cut = dict(status="failed", reason="not a notebook", max_score=4.0)
    given = record("given", score=3.0, decision="decided: 3 points (by e-mail)", **cut)
    lesson = ClassOfLesson(LESSON, [record("ada", RIGHT, RIGHT), record("cut", score=None, **cut), given])
    assert [row.undecided for row in lesson.everyone.rows] == [False, True, False]
    page = lesson.page()
    assert page.count(">needs a decision<") == 1 and f"course decide STUDENT {LESSON} --points N" in page
    assert "3 / 4" in page and "decided: 3 points (by e-mail)" in page
    rows = {row["student"]: row for row in csv.DictReader(lesson.as_csv().splitlines())}
    assert (rows["cut"]["status"], rows["cut"]["points"]) == ("needs a decision", "")
    assert (rows["given"]["status"], rows["given"]["points"]) == ("decided: 3 points (by e-mail)", "3")


def test_written_questions_have_rows_columns_and_means() -> None:
    why, how = (column for column in late_class().everyone.columns if column.written)
    assert (why.title, why.mean, why.graded, why.full, why.blank, why.waiting) == (
        "why",
        pytest.approx(1 / 3),
        3,
        0,
        2,
        0,
    )
    assert (how.title, how.mean, how.graded, how.full, how.blank, how.waiting) == ("how", 0.75, 2, 0, 1, 1)
    rows = {row["student"]: row for row in csv.DictReader(late_class().as_csv().splitlines())}
    assert (rows["ada"]["written-how"], rows["ada"]["written-how: found"], rows["ada"]["late"]) == (
        "1.5",
        "marked",
        "0.5",
    )
    assert (rows["sam"]["written-how"], rows["sam"]["written-how: found"]) == ("", "waits"), "no 0 that nobody gave"
    assert rows["cut"]["exercise_1"] == "1", "points that a person gave for a file that cannot be graded"
    assert [one["title"] for one in late_class().as_json()["written"]] == ["why", "how"]


def test_the_page_says_in_words_what_waits_and_names_students_next_to_their_ids() -> None:
    page = late_class().page()
    assert (
        page.count("waits for a grader") == 1 + 1 and "to be confirmed by a grader" in page
    )  # in the legend and in sam's row
    assert "Ada &lt;b&gt;Lovelace&lt;/b&gt;" in page and ">ada<" in page
    assert "Nothing was handed in by Gone Girl (gone)." in page
    assert '<th class="n" scope="col">Late</th>' in page and "−0.5" in page
    assert '<th class="n" scope="col">Late</th>' not in a_class().page(), "nobody is late"
    nameless = late_class().without_names()
    assert "Lovelace" not in nameless.page() + nameless.as_csv()
    assert sorted(row.late for row in nameless.everyone.rows) == [0, 0, 0.5, 0.5], "points stay with their rows"
    assert {cell.kind for row in nameless.everyone.rows for cell in row.cells[2:] if cell} == {
        "blank",
        "marked",
        "waits",
    }


def a_class(**more: Any) -> ClassOfLesson:
    class_ = [record("ada", NAMED, CARRIED), record("=grace()", RIGHT, RIGHT), NOT_GRADED, record("zoe", STOPS, BLANK)]
    trend = [LessonTrend("02_attention", 3, 0.5), LessonTrend(LESSON, 3, 0.54)]
    return ClassOfLesson(LESSON, class_, ["nobody"], trend, ["version 1"], **more)


def test_the_table_has_a_row_for_each_and_no_formula() -> None:
    rows = list(csv.DictReader(a_class().as_csv().splitlines()))
    assert [row["student"] for row in rows] == ["ada", "'=grace()", "cut", "zoe"]
    assert [row["points"] for row in rows] == ["2.5", "4", "", "0"]
    assert [row["exercise_1: found"] for row in rows] == ["named upside_down", "right", "", "error ValueError"]
    assert [row["exercise_2: found"] for row in rows] == ["carried exercise_1", "right", "", "blank"]


def test_the_table_says_whose_points_still_wait_for_a_grader() -> None:
    records = [record("kim", RIGHT, waiting=["written-why"]), record("ada", RIGHT)]
    rows = {row["student"]: row for row in csv.DictReader(ClassOfLesson(LESSON, records).as_csv().splitlines())}
    assert {student: row["status"] for student, row in rows.items()} == {
        "kim": "graded, waits for a grader",
        "ada": "graded",
    }


def test_a_history_ends_with_the_points_now_and_what_waits(capsys: pytest.CaptureFixture[str]) -> None:
    show_history([], "UTC", [record("kim", RIGHT, waiting=["written-why"], late=1.0), record("kim", NAMED)])
    said = capsys.readouterr().out
    assert "These are the exercises' automatic points." in said
    waiting = "late: 1 point less; 1 written answer waits in formgrader"
    assert f"{LESSON}: 2 / 2 so far ({waiting})" in said and f"{LESSON}: 0.5 / 2\n" in said


def test_the_numbers_as_json() -> None:
    found = json.loads(json.dumps(a_class().as_json()))
    assert (found["handed_in"], found["scores"], found["absent"]) == (4, [0.0, 2.5, 4.0], ["nobody"])
    assert found["exercises"][0]["misconceptions"] == [
        {"name": "upside_down", "sentence": "You turn it over.", "students": ["ada"]}
    ]
    assert found["lessons"][1] == {"lesson": LESSON, "students": 3, "share": 0.54}


def test_for_a_projector_nobody_is_named() -> None:
    nameless = a_class().without_names()
    for said in (nameless.page(lambda student: "there"), nameless.as_csv(), json.dumps(nameless.as_json())):
        assert not [name for name in ("ada", "grace", "zoe", "nobody", "there") if name in said.replace("headers", "")]
    assert "1 handed nothing in." in nameless.page()
    assert nameless.page().count("student 4") >= 1
    assert sorted(nameless.scores) == sorted(a_class().scores)


def test_the_page_leads_to_feedback_and_says_how_the_lessons_went() -> None:
    page = a_class().page(lambda student: "../feedback/ada.html" if student == "ada" else "")
    assert '<a href="../feedback/ada.html">ada</a>' in page and page.count("../feedback/") == 1
    assert "Nothing was handed in by nobody." in page
    assert "02_attention" in page and "54 %" in page and "version 1" in page


def test_a_report_of_a_class(graded_class: GradedClass, tmp_path: Path) -> None:
    said = run_course(
        graded_class.root, "report", "03", "--csv", str(tmp_path / "r.csv"), "--json", str(tmp_path / "r.json")
    )
    assert said.code == 0 and "unscaled, 1 ×" in " ".join(said.out.split())
    rows = {row["student"]: row for row in csv.DictReader((tmp_path / "r.csv").read_text().splitlines())}
    assert rows["scale_forgotten"]["scaled_dot_product_attention: found"] == "named unscaled"
    assert rows["untouched"]["softmax: found"] == "blank"
    assert json.loads((tmp_path / "r.json").read_text())["handed_in"] == len(rows)
    page = (graded_class.folder / f"reports/{LESSON}.html").read_text(encoding="utf-8")
    assert f'href="../feedback/right_1/{LESSON}/{LESSON}.html"' in page
    assert run_course(graded_class.root, "report", "03", "--anonymous").code == 0
    nameless = (graded_class.folder / f"reports/{LESSON}_anonymous.html").read_text(encoding="utf-8")
    assert "scale_forgotten" not in nameless and "unscaled" in nameless


def test_a_place_where_nothing_can_be_written_is_said_before_the_work(graded_class: GradedClass) -> None:
    said = run_course(graded_class.root, "report", "03", "--csv", "/nowhere/r.csv")
    assert said.code == 1 and "--csv /nowhere/r.csv: no file can be written there" in said.err.replace("\n", " ")


@pytest.mark.parametrize("scheme", ["light", slow("dark")])
@pytest.mark.parametrize("page", [f"reports/{LESSON}", f"feedback/scale_forgotten/{LESSON}/{LESSON}"])
def test_a_page_fits_a_telephone_and_a_desk_and_shuts_nobody_out(
    graded_class: GradedClass, browser: Browser, page: str, scheme: Any
) -> None:
    shown = browser.new_page(color_scheme=scheme)
    asked: list[str] = []
    shown.on("request", lambda request: asked.append(request.url))
    shown.goto((graded_class.folder / f"{page}.html").as_uri())
    for width in (400, 1280):
        shown.set_viewport_size({"width": width, "height": 800})
        assert shown.evaluate("document.documentElement.scrollWidth") <= width
        assert serious_findings(shown) == [], width
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    shown.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_wide_table_scrolls_while_its_students_stay_in_view(browser: Browser, scheme: Any, tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text(late_class().page(), encoding="utf-8")
    shown = browser.new_page(color_scheme=scheme)
    shown.goto((tmp_path / "report.html").as_uri())
    table = shown.get_by_role("region", name="Everyone, part by part")
    student, late = (table.locator(f"tbody tr:first-child {cell}") for cell in ("th", "td:nth-last-child(2)"))
    for width in (1280, 400):
        shown.set_viewport_size({"width": width, "height": 800})
        assert shown.evaluate("document.documentElement.scrollWidth") <= width
        assert serious_findings(shown) == [], width
        late.scroll_into_view_if_needed()
        left, right = student.bounding_box(), late.bounding_box()
        assert left and right and 0 <= left["x"] < left["x"] + left["width"] < right["x"] + right["width"]
        assert right["x"] + right["width"] <= width
    shown.close()


@pytest.mark.parametrize("end", ["\u2028", "\x85", "\x1c"])
def test_what_else_ends_a_line_leaves_a_history_whole(tmp_path: Path, end: str) -> None:
    archive = Archive(tmp_path)
    for reason in (f"one{end}1{end}", f"two{end}2{end}", "three"):
        archive.save_record(record("ada", RIGHT, reason=reason))
    assert [moment["record"]["reason"][:3] for moment in archive.history("ada")] == ["one", "two", "thr"]


def test_beside_a_graded_notebook_stands_when_it_was_handed_in_as_nbgraders_steps_ask(tmp_path: Path) -> None:
    archive, moment = Archive(tmp_path), datetime(2026, 3, 1, 11, 30)
    path, graded = archive.autograded("ada", LESSON), nbformat.v4.new_notebook()
    for time in (moment, None, moment):
        archive.save(record("ada", RIGHT), graded, time)
        assert CourseDirectory().get_existing_timestamp(str(path.parent)) == time
    archive.save(record("ada", status="failed", score=None, max_score=4.0), None)
    assert not list(path.parent.iterdir())
