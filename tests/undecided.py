"""A class in which one submission cannot be graded, so that somebody has to decide about it."""

from __future__ import annotations

from pathlib import Path

from conftest import LESSON, copy_course

from autograder.records.archive import Archive
from benchmarks.large_class import fill
from course_lib.course import Course, find_course

CUT, OTHER = "student00000", "student00001"


def class_of_three(course: Course, tmp_path: Path, folder: str = "class") -> tuple[Path, Archive]:
    """Return a course and its class of three, in which `CUT` has handed in a folder without a notebook."""
    root = copy_course(course, tmp_path / "course")
    archive = Archive(root / folder)
    fill(find_course(root), archive, 3, course.student_notebook(LESSON).read_bytes())
    (archive.folder / f"records/{LESSON}/{CUT}.json").unlink()
    (archive.submitted / CUT / LESSON / f"{LESSON}.ipynb").unlink()
    return root, archive
