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

#: by lesson, code that trains for long before it reaches what a student must write, and a shorter version
REHEARSAL = {"challenge.rehearse(train)": "challenge.rehearse(train, seconds=2)"}
SHORTER = {
    "12_projects": REHEARSAL,
    "13_relative_positions": REHEARSAL,
    "14_costs": {"remembered = {way:": "recall.STEPS = 20\\nremembered = {way:"},
    "15_families": {
        "causal_model(finished, seed=0)": "causal_model(finished, seed=0, steps=100)",
        "shares = shapes.at_equal_time(": "shapes.SECONDS['left'] = 1\\nshares = shapes.at_equal_time(",
    },
}


@pytest.mark.parametrize("lesson", slow_but(["03_self_attention"], find_course(Path(__file__).parent).lessons))
def test_an_untouched_notebook_runs_to_its_end_without_points(course: Course, tmp_path: Path, lesson: str) -> None:
    folder = tmp_path / lesson
    shutil.copytree(course.student_notebook(lesson).parent, folder, ignore=shutil.ignore_patterns(".course"))
    file = folder / f"{lesson}.ipynb"
    text = file.read_text(encoding="utf-8")
    for old, new in SHORTER.get(lesson, {}).items():
        assert old in text
        text = text.replace(old, new)
    file.write_text(text, encoding="utf-8")
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
