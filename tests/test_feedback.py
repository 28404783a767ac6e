"""Feedback pages give away nothing that others of the class still write."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import nbformat
import pytest
from conftest import LESSON, copy_course, hand_in_to, require, run_course
from nbgrader.api import Gradebook

from autograder.building.notebook import to_text
from autograder.demo.classroom import Student, hand_in
from autograder.gradebook.gradebook import Records
from autograder.records.archive import Archive
from autograder.records.feedback import write_page
from autograder.records.results import result
from course_lib.course import Course
from course_lib.running.cells import grade_id, kind_of

EARLIER = "02_attention"
#: prints, draws and answers with a component of that lesson, which lies beside whatever runs in the sandbox
PEEKS = """
import inspect
import matplotlib.pyplot as plt
from course_lib.components import padding_mask

PEEKED = inspect.getsource(padding_mask)
print(PEEKED)
plt.plot([ord(letter) for letter in PEEKED])
plt.show()


def softmax(scores, axis=-1):
    raise type("Peeked", (ValueError,), {})(PEEKED)
"""


@pytest.fixture(scope="module")
def peeked(course: Course, released: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class of one, who looks for our components."""
    require("bwrap")
    root = copy_course(course, tmp_path_factory.mktemp("course"))
    notebook = nbformat.reads(hand_in(Student("peeks"), released), as_version=nbformat.NO_CONVERT)
    for cell in notebook.cells:
        if grade_id(cell) == "softmax" and kind_of(cell) == "exercise":
            cell.source = PEEKS
    hand_in_to(root / "class/submitted", {"peeks": to_text(notebook)})
    assert run_course(root, "grade", "03").code == 0
    return root


def due(root: Path, hours: float) -> None:
    with Gradebook(f"sqlite:///{root}/class/gradebook.db") as book:
        end = datetime.now(UTC).replace(tzinfo=None) + timedelta(hours=hours)
        book.update_or_create_assignment(EARLIER, duedate=end)


def page(root: Path) -> str:
    return (root / f"class/feedback/peeks/{LESSON}/{LESSON}.html").read_text(encoding="utf-8")


def test_what_code_says_is_left_out_while_an_earlier_lesson_accepts_work(peeked: Path) -> None:
    shown = ("def padding_mask", "<img", "Peeked")
    said = f"Work is still accepted for {EARLIER} (until "
    for hours, is_open in ((-1, False), (1, True), (-1, False)):
        due(peeked, hours)
        ran = run_course(peeked, "feedback", "03")
        assert ran.code == 0 and (said in " ".join(ran.out.split())) is is_open, ran
        found = page(peeked).replace("PEEKED", "").replace('type("Peeked"', "").replace("type(&#34;Peeked&#34;", "")
        assert [text in found for text in shown] == [not is_open] * 3
        assert (said in found) is is_open
        assert ("It stops with an error." in found) is is_open and "other numbers than those at home" not in found
        assert "0 of 3 points" in found and "4 of 4 points" in found, "cards stay"
        assert "inspect.getsource" in found, "what was handed in stays"


def test_nbgraders_button_leaves_it_out_too(peeked: Path) -> None:
    archive = Archive(peeked / "class")
    due(peeked, 1)
    with Records(archive.gradebook, LESSON) as records:
        write_page(archive, records, result(archive, records, LESSON, "peeks"))
    assert "def padding_mask" not in page(peeked)
