"""The class's secret: who draws hidden questions anew, when, and what becomes of grades."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import LESSON, POINTS, copy_course, hand_in_to, require, run_course

from autograder.demo.classroom import Student, hand_in
from autograder.grading.hidden_keys import lesson_keys
from autograder.grading.secret import course_secret, draw_anew, draws, question_secret, rotate_secret
from course_lib.course import Course

SUBMISSIONS = ("--submissions", "class/submitted", "--json", "results.json")


def given(folder: Path) -> str:
    """What the hidden questions of the lesson give, as text."""
    questions = lesson_keys(LESSON, question_secret(folder, LESSON), folder).hidden["softmax"].questions
    return str([question.contents() for question in questions])


def test_a_lesson_drawn_anew_has_other_questions_and_the_other_lessons_keep_theirs(tmp_path: Path) -> None:
    first, other = question_secret(tmp_path, LESSON), question_secret(tmp_path, "04_multi_head_attention")
    assert first == course_secret(tmp_path), "as long as nothing is drawn anew, grades are what they were"
    draw_anew(tmp_path, LESSON, "a line\nbreak")
    second = question_secret(tmp_path, LESSON)
    draw_anew(tmp_path, LESSON, "once more")
    assert len({first, second, question_secret(tmp_path, LESSON)}) == 3
    assert question_secret(tmp_path, "04_multi_head_attention") == other
    assert [(sampler["lesson"], sampler["reason"]) for sampler in draws(tmp_path)] == [
        (LESSON, "a line\nbreak"),
        (LESSON, "once more"),
    ]


def test_a_rotated_secret_is_another_and_readable_by_its_owner_only(tmp_path: Path) -> None:
    before = course_secret(tmp_path)
    rotate_secret(tmp_path, "it was shared")
    assert course_secret(tmp_path) != before
    assert (tmp_path / "secret.key").stat().st_mode & 0o077 == 0
    assert {path.name for path in tmp_path.iterdir()} == {"secret.key", "draws.jsonl"}
    tmp_path.chmod(0o770)
    rotate_secret(tmp_path, "a second grader joins")
    assert (tmp_path / "secret.key").stat().st_mode & 0o777 == 0o660, "the group of a shared class may grade, too"


def test_the_verb_wants_a_reason_and_shows_it(course: Course, tmp_path: Path) -> None:
    root = copy_course(course, tmp_path / "a course", own_secret=True)
    assert "never been replaced" in run_course(root, "secret").out
    refused = run_course(root, "secret", "--rotate")
    assert refused.code == 1
    assert "Say why" in refused.err
    assert not (root / "class").exists()
    assert run_course(root, "secret", "03", "--rotate", "--reason", "it was in the \x1b[2Jforum").code == 0
    assert run_course(root, "secret", "--rotate", "--reason", "the file was shared").code == 0
    shown = run_course(root, "secret").out
    for text in (LESSON, "forum", "all", "the file was shared"):
        assert text in shown
    assert "\x1b[2J" not in shown
    assert "forum" not in run_course(root, "secret", "04").out


@pytest.fixture
def graded(course: Course, released: Any, tmp_path: Path) -> Path:
    require("bwrap")
    root = copy_course(course, tmp_path / "a course")
    wrong = Student("ada", {"softmax": "no_max_subtraction"})
    hand_in_to(root / "class/submitted", {"ada": hand_in(wrong, released), "right": hand_in(Student("r"), released)})
    assert run_course(root, "grade", "03", *SUBMISSIONS).code == 0
    return root


def scores(root: Path) -> dict[str, float]:
    return {record["student"]: record["score"] for record in json.loads((root / "results.json").read_text())}


@pytest.mark.slow
def test_whoever_is_graded_once_more_is_asked_new_questions_and_honest_scores_stay(graded: Path, released: Any) -> None:
    first, before = given(graded / "class"), scores(graded)
    assert not draws(graded / "class")
    path = graded / f"class/submitted/ada/{LESSON}/{LESSON}.ipynb"
    path.write_text(path.read_text() + "\n")
    hand_in_to(graded / "class/submitted", {"late": hand_in(Student("late"), released)})
    ran = run_course(graded, "grade", "03", *SUBMISSIONS)
    assert "1 of the 2 to be graded were graded before" in ran.out
    assert [sampler["lesson"] for sampler in draws(graded / "class")] == [LESSON]
    assert given(graded / "class") != first
    assert scores(graded) == {**before, "late": POINTS}
    run_course(graded, "grade", "03", *SUBMISSIONS)
    assert len(draws(graded / "class")) == 1, "nobody is graded again"
    run_course(graded, "secret", "--rotate", "--reason", "a test")
    assert "3 of the 3 to be graded were graded before" in run_course(graded, "grade", "03", *SUBMISSIONS).out
    assert scores(graded) == {**before, "late": POINTS}
