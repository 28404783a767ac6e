"""Whoever grades again sees first what it changes; what stood before is kept."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from conftest import LESSON, POINTS, TimedResult, copy_course, hand_in_to, require, run_course
from nbgrader.api import Gradebook

from autograder.demo.classroom import Student, hand_in
from autograder.gradebook.points import SubmissionPoints
from autograder.records.changes import LATE, WHOLE, Change, changes, found_in, in_sum, kept_decision
from autograder.terminal_grading import _show
from course_lib.course import Course

RIGHT, UNSCALED = Student("right"), Student("unscaled", {"scaled_dot_product_attention": "unscaled"})
#: where the forgotten scale costs points
LOST = {("anna", "scaled_dot_product_attention")}


@pytest.fixture(scope="module")
def graded_once(course: Course, released: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class of three that was graded; a person has given one of them other points for softmax."""
    require("bwrap")
    root = copy_course(course, tmp_path_factory.mktemp("graded"))
    texts = {"anna": hand_in(RIGHT, released), "ben": hand_in(UNSCALED, released), "cleo": hand_in(RIGHT, released)}
    hand_in_to(root / "class/submitted", texts)
    assert grade(root).code == 0
    with Gradebook(f"sqlite:///{root}/class/gradebook.db") as book:
        found = book.find_submission_notebook(LESSON, LESSON, "cleo")
        next(g for g in found.grades if g.cell.name == "check-softmax").manual_score = 0.5
        book.db.commit()
    return root


@pytest.fixture
def graded(graded_once: Path, tmp_path: Path) -> Path:
    """A copy of that class, which a test may change."""
    return shutil.copytree(graded_once, tmp_path, symlinks=True, dirs_exist_ok=True)


def grade(root: Path, *arguments: str) -> TimedResult:
    return run_course(root, "grade", "03", "--submissions", "class/submitted", *arguments)


def changed(root: Path) -> list[tuple[str, str, float | None, float | None]]:
    said = json.loads((root / "changes.json").read_text())
    return [(one["student"], one["exercise"], one["old"], one["new"]) for one in said]


def whole(root: Path) -> dict[str, object]:
    """Everything that a class has: files by their bytes, the gradebook by its rows."""
    found: dict[str, object] = {
        str(path.relative_to(root)): path.read_bytes()
        for path in (root / "class").rglob("*")
        if path.is_file() and path.suffix != ".db" and "keys" not in path.relative_to(root).parts
    }
    with sqlite3.connect(root / "class/gradebook.db") as book:
        found["gradebook"] = list(book.iterdump())
    return found


def told(root: Path, student: str) -> str:
    """A student's history, without regard to where lines end."""
    ran = run_course(root, "history", student)
    assert ran.code == 0, ran
    return " ".join(ran.out.split())


def hand_in_anew(root: Path, student: str, text: str) -> None:
    (root / "class/submitted" / student / LESSON / f"{LESSON}.ipynb").write_text(text)


@pytest.mark.slow
def test_a_dry_run_shows_every_change_and_writes_nothing(graded: Path, released: Any) -> None:
    hand_in_anew(graded, "anna", hand_in(UNSCALED, released))
    hand_in_anew(graded, "cleo", hand_in(UNSCALED, released))
    hand_in_to(graded / "class/submitted", {"dora": hand_in(RIGHT, released)})
    before = whole(graded)
    ran = grade(graded, "--dry-run", "--json", "changes.json")
    assert ran.code == 0, ran
    assert whole(graded) == before
    lost = changed(graded)
    assert {(student, exercise) for student, exercise, _, _ in lost} == LOST | {("cleo", e) for _, e in LOST}
    assert all(new < old for _, _, old, new in lost if old and new)
    for said in ("right → unscaled", "another file", "2 grades change, by −", "1 student would be graded"):
        assert said in ran.out
    assert grade(graded).code == 0
    after = {path.stem: json.loads(path.read_text()) for path in (graded / f"class/records/{LESSON}").glob("*.json")}
    assert {s: after[s]["exercises"][e]["score"] for s, e, _, _ in lost} == {s: new for s, _, _, new in lost}


def test_digits_that_the_gradebook_does_not_read_are_no_change() -> None:
    """A record has six decimals, a gradebook four."""
    earned = {"max_score": 5.0, "misconception": None, "broken_laws": [], "sentences": {}, "carried": None}
    scores = {"softmax": 5 / 3, "attention_loops": 1 / 32, "self_attention": 2.0}
    record: Any = {"student": "anna", "status": "graded", "digest": "a-b"}
    record["exercises"] = {name: {**earned, "score": round(score, 6), "error": None} for name, score in scores.items()}
    in_gradebook = {"softmax": 1.6667, "attention_loops": 0.0312, "self_attention": 1.99}
    entered = SubmissionPoints(3.6879, 0.0, 15.0, in_gradebook, [], 0, 0, 0.0, frozenset())
    assert [one.exercise for one in changes(record, record, entered)] == ["self_attention"]


def test_a_grade_changes_if_its_total_does_and_sums_are_rounded() -> None:
    """A submission with 0 points keeps them if it loses a point and the same share of its late penalty."""
    found = [Change("zero", "softmax", 5, 4, "", ""), Change("zero", LATE, -5, -4, "", "")]
    assert in_sum(found) == (0, 0)
    found += [Change(f"s{number}", "softmax", 2, 0.0667, "", "") for number in range(6)]
    assert in_sum(found) == (6, -11.6), "a gradebook keeps four decimals of each grade"
    assert in_sum([Change("cut", WHOLE, 0, None, "", "")]) == (1, 0), "no grade is another grade than 0 points"
    assert in_sum([kept_decision("cut", 18, 19, 16)]) == (0, 0)
    assert kept_decision("cut", 18, 19, 16).why.endswith("a decision stays as it is, although it is more than that")


@pytest.mark.slow
def test_a_dry_run_of_what_was_never_graded_leaves_no_gradebook(graded: Path) -> None:
    ran = grade(graded, "--dry-run", "--class", "another")
    assert ran.code == 0, ran
    assert "3 students would be graded for the first time" in ran.out
    assert {path.name for path in (graded / "another").iterdir()} == {".gitignore", "secret.key"}


@pytest.mark.slow
def test_a_dry_run_counts_a_file_that_cannot_be_graded_as_a_decision_and_not_as_a_first_grade(
    graded: Path, released: Any
) -> None:
    hand_in_to(graded / "class/submitted", {"dora": hand_in(RIGHT, released), "erik": hand_in(RIGHT, released)[:1000]})
    said = " ".join(grade(graded, "--dry-run").out.split())
    assert "1 student would be graded for the first time." in said
    assert "1 student would need a decision, because the file cannot be graded: erik." in said
    assert grade(graded).code == 0
    for decision in ((), ("--points", "3")):
        if decision:
            assert run_course(graded, "decide", "erik", "03", *decision).code == 0
        said = grade(graded, "--dry-run").out
        assert "for the first time" not in said and ("would need a decision" in said) is not bool(decision)


def test_a_change_says_which_checks_fail_in_the_words_of_the_card() -> None:
    checks = {f"law_{number}": f"sentence {number}" for number in range(5)}
    failed: Any = {"max_score": 4.0, "score": 1.0, "misconception": None, "sentences": checks, "carried": None}
    failed |= {"broken_laws": list(checks), "error": None}
    assert found_in(failed) == "✗ sentence 0; ✗ sentence 1; ✗ sentence 2; and 2 more"
    assert found_in({**failed, "broken_laws": ["law_4"]}) == "✗ sentence 4"
    assert found_in({**failed, "score": 0.0, "error": "NotImplementedError"}) == "not written"
    assert found_in({**failed, "score": 4.0}) == "right"


@pytest.mark.slow
def test_regrading_shows_asks_and_writes_what_it_showed(graded: Path, released: Any) -> None:
    hand_in_anew(graded, "ben", hand_in(RIGHT, released))
    hand_in_anew(graded, "cleo", hand_in(UNSCALED, released))
    hand_in_to(graded / "class/submitted", {"dora": hand_in(RIGHT, released)})
    before = whole(graded)
    ran = run_course(graded, "regrade", "03", answer="n\n")
    assert ran.code == 0, ran
    assert "Nothing was written" in ran.out
    after = whole(graded)
    assert {name for name in after if after[name] != before.get(name)} == {"class/draws.jsonl"}, "new questions"
    ran = run_course(graded, "regrade", "03", "--json", "changes.json", answer="y\n")
    assert ran.code == 0, ran
    assert {exercise for student, exercise, _, _ in changed(graded) if student == "cleo"} == {e for _, e in LOST}
    with Gradebook(f"sqlite:///{graded}/class/gradebook.db") as book:
        scores = {one["student"]: one["score"] for one in book.submission_dicts(LESSON)}
    lost = sum(old - new for student, _, old, new in changed(graded) if student == "cleo" and old and new)
    softmax = json.loads((graded / f"class/records/{LESSON}/cleo.json").read_text())["exercises"]["softmax"]
    assert scores["ben"] == POINTS
    assert scores["cleo"] == pytest.approx(POINTS - lost - softmax["max_score"] + 0.5), "a person's points stay"
    assert "dora" not in scores, "who was never graded is course grade's"
    assert "No grade could be another" in run_course(graded, "regrade", "03").out


@pytest.mark.slow
def test_a_file_that_cannot_be_read_changes_nothing_but_says_so(graded: Path, released: Any) -> None:
    hand_in_anew(graded, "anna", hand_in(RIGHT, released)[:1000])
    ran = run_course(graded, "regrade", "03", "--yes")
    assert ran.code == 0, ran
    assert "No grade changes." in ran.out
    assert "the file was cut short" in told(graded, "anna")


@pytest.mark.slow
def test_a_history_tells_every_grade_and_why_there_is_another(graded: Path, released: Any) -> None:
    hand_in_anew(graded, "ben", hand_in(RIGHT, released))
    assert grade(graded).code == 0
    policy = graded / "course.toml"
    policy.write_text(policy.read_text() + "memory_mb = 1024\n")
    assert grade(graded).code == 0
    hand_in_anew(graded, "ben", hand_in(UNSCALED, released))
    assert grade(graded).code == 0
    said = told(graded, "ben")
    at = [said.index(why) for why in ("first graded", "another file", "the course has changed")]
    assert at == sorted(at)
    assert said.count("scaled_dot_product_attention") == 2
    assert said.count(f"{POINTS:g} / {POINTS:g}") == 2
    assert "\N{REPLACEMENT CHARACTER}" not in run_course(graded, "history", "ben").out
    lines = (graded / f"class/history/{LESSON}/ben.jsonl").read_text().splitlines()
    assert [json.loads(line)["record"]["score"] for line in lines][1:3] == [POINTS, POINTS]
    ran = run_course(graded, "history", "nobody")
    assert ran.code == 1
    assert "Nothing of 'nobody' has been graded" in ran.err


@pytest.mark.slow
def test_extra_credit_is_no_change_because_it_stays(graded: Path) -> None:
    with Gradebook(f"sqlite:///{graded}/class/gradebook.db") as book:
        found = book.find_submission_notebook(LESSON, LESSON, "anna")
        next(g for g in found.grades if g.cell.name == "check-softmax").extra_credit = 0.5
        book.db.commit()
    assert grade(graded, "--dry-run", "--force", "--json", "changes.json").code == 0
    assert changed(graded) == []


@pytest.mark.slow
def test_a_history_survives_a_line_that_was_cut_off(graded: Path, released: Any) -> None:
    path = graded / f"class/history/{LESSON}/ben.jsonl"
    path.write_text(path.read_text()[:-30])
    hand_in_anew(graded, "ben", hand_in(RIGHT, released))
    assert grade(graded).code == 0
    assert f"{POINTS:g} / {POINTS:g}" in told(graded, "ben")


@pytest.mark.parametrize("verb", ["grade", "regrade"])
@pytest.mark.slow
def test_a_stale_build_grades_nobody(graded: Path, verb: str) -> None:
    lesson = graded / f"lessons/{LESSON}.md"
    lesson.write_text(lesson.read_text() + "\nOne more line.\n")
    before = whole(graded)
    ran = run_course(graded, verb, "03", "--submissions", "class/submitted", "--force")
    assert ran.code == 1
    assert f"Run: course build {LESSON}" in ran.err
    assert whole(graded) == before


def test_a_long_reason_that_most_changes_share_is_shown_once(capsys: pytest.CaptureFixture[str]) -> None:
    long = "the course has changed (softmax is worth 3 points, not 2)"
    others = [Change(student, "softmax", 2.0, 3.0, "right", long) for student in ("ada", "bo", "cy")]
    _show([*others, Change("di", "softmax", 2.0, 0.0, "right", "another file")], 4)
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith(f"Why, unless a row says otherwise: {long}.") and said.count("not 2)") == 1
    assert "another file" in said
