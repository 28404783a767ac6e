"""The growing drawing lights what the student's own notebooks pass, and what this one has checked."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from course_lib import check, diagrams
from course_lib.course import Course
from course_lib.own_parts.passed import passed
from course_lib.session import CURRENT


@pytest.fixture
def at_lesson_03(course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A student who has solved lesson 02, has not touched 00, and is at 03."""
    for lesson, made in (
        ("00_the_task", course.student_notebook),
        ("02_attention", course.solution_notebook),
        ("03_self_attention", course.student_notebook),
    ):
        (tmp_path / lesson).mkdir()
        shutil.copy(made(lesson), tmp_path / lesson)
    monkeypatch.chdir(tmp_path / "03_self_attention")
    monkeypatch.setattr(CURRENT, "lesson", "03_self_attention")
    monkeypatch.setattr(CURRENT, "checked", {})
    monkeypatch.delenv("COURSE_PARTS", raising=False)
    return tmp_path


@pytest.mark.slow
def test_earlier_parts_are_found_in_their_notebooks(at_lesson_03: Path) -> None:
    assert passed(["vocabulary", "padding_mask", "softmax"]) == {"padding_mask"}
    assert "Yours so far: Mask (lesson 02)." in diagrams.so_far().description


def test_a_check_of_this_notebook_counts_and_a_failed_one_does_not(at_lesson_03: Path) -> None:
    import numpy as np

    def softmax(scores, axis=-1):  # type: ignore[no-untyped-def]
        e = np.exp(scores - scores.max(axis=axis, keepdims=True))
        return e / e.sum(axis=axis, keepdims=True)

    assert passed(["softmax"]) == set()
    check("softmax", softmax)
    assert passed(["softmax", "padding_mask"]) == {"softmax", "padding_mask"}
    check("softmax", lambda scores, axis=-1: scores)
    assert passed(["softmax"]) == set()


def test_while_a_notebook_is_graded_other_notebooks_are_not_read(
    at_lesson_03: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COURSE_PARTS", "reference")
    assert passed(["padding_mask"]) == set()
