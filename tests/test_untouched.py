"""Every student notebook, run as it is handed out: to its end, without an error, and worth nothing."""

from __future__ import annotations

import html
import re
import shutil
from pathlib import Path

import nbformat
import pytest
from tiers import slow_but

from autograder.building.executed import run
from autograder.exercises import of_lesson
from course_lib.course import Course, find_course
from course_lib.running.cells import grade_id

#: what trains for long and is tested elsewhere: the rehearsal for 45 seconds, a language model for 20
SHORTER = {
    **dict.fromkeys(
        ("10_decoding", "11_relative_positions"), ("challenge.rehearse(train)", "challenge.rehearse(train, seconds=2)")
    ),
    "13_families": ("causal_model(finished, seed=0)", "causal_model(finished, seed=0, steps=100)"),
}


@pytest.mark.parametrize("lesson", slow_but(["03_self_attention"], find_course(Path(__file__).parent).lessons))
def test_an_untouched_notebook_runs_to_its_end_without_points(course: Course, tmp_path: Path, lesson: str) -> None:
    folder = tmp_path / lesson
    shutil.copytree(course.student_notebook(lesson).parent, folder, ignore=shutil.ignore_patterns(".course"))
    file = folder / f"{lesson}.ipynb"
    text, (old, new) = file.read_text(encoding="utf-8"), SHORTER.get(lesson, ("", ""))
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    ran = run(file, folder)
    assert not ran.troubles, "what waits for an exercise says so in a sentence"
    assert ran.points == (0, sum(definition.exercise.points for definition in of_lesson(lesson)))
    cells = nbformat.read(file, as_version=nbformat.NO_CONVERT).cells
    assert all(cell.execution_count for cell in cells if cell.cell_type == "code")
    shown = {grade_id(cell): shown_as_text(cell) for cell in cells if cell.cell_type == "code"}
    for definition in of_lesson(lesson):
        card = shown[f"check-{definition.id}"]
        assert f"0 of {definition.exercise.points:g} point" in card
        assert "Hint 1 of 3" in card or "is not written yet: write that first" in card


def shown_as_text(cell: nbformat.NotebookNode) -> str:
    pages = (output.get("data", {}).get("text/html", "") for output in cell.outputs)
    return html.unescape(re.sub(r"<[^>]*>", "", "".join(pages)))
