"""Gradebooks with grades in them, without running anybody's code."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conftest import LESSON, copy_course
from nbformat.v4 import new_output
from nbgrader.utils import compute_checksum

from autograder.gradebook.gradebook import Records
from autograder.records.archive import Archive
from benchmarks import large_class
from course_lib.course import Course, Written, find_course
from course_lib.running.cells import kind_of
from course_lib.running.notebook_file import parse_notebook


def with_points(released: Any, share: float, written: str = "") -> Any:
    """A released notebook as graded: every exercise has that share of its points, every question that answer."""
    notebook = copy.deepcopy(released)
    for cell in notebook.cells:
        if kind_of(cell) == "grade":
            points = round(cell.metadata.nbgrader.points * share, 2)
            cell.outputs = [new_output("execute_result", data={"text/plain": str(points)}, execution_count=1)]
        elif kind_of(cell) == "written" and written:
            cell.source = written
    return notebook


def hand_graded(released: Any, points: float) -> Any:
    """The notebook with points on its written questions, as the policy "hand" builds it."""
    notebook = copy.deepcopy(released)
    for cell in notebook.cells:
        if kind_of(cell) == "written":
            cell.metadata.nbgrader.points = points
            cell.metadata.nbgrader.checksum = compute_checksum(cell)
    return notebook


def fill(url: str, lesson: str, released: Any, shares: Mapping[str, float], written: Written = "off") -> None:
    """Enter a lesson and the grades of students."""
    with Records(url, lesson, written) as book:
        book.register(released)
        for student, share in shares.items():
            book.save(student, with_points(released, share))


def class_of_two(course: Course, folder: Path) -> Path:
    """Make a course with a graded class of two, in which late work gets no points. Return the course's folder."""
    root = copy_course(course, folder / "course")
    (root / "course.toml").write_text('[late]\npolicy = "zero"\n')
    collected = parse_notebook(course.student_notebook(LESSON).read_bytes()).to_bytes()
    large_class.fill(find_course(root), Archive(root / "class"), 2, collected)
    return root
