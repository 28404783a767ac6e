"""Copy a lesson's diagrams next to each graded notebook, where formgrader looks for the notebook's images."""

from __future__ import annotations

from collections.abc import Iterable

from autograder.class_folder.writing import writing
from autograder.records.archive import Archive
from course_lib.course import Course
from course_lib.diagrams import FOLDER


def put_diagrams(course: Course, lesson: str, archive: Archive, students: Iterable[str]) -> None:
    """Copy the diagrams of a lesson next to the students' graded notebooks if they are missing or have changed.

    Raises:
        CourseError: a diagram cannot be written.
    """
    built = course.student_notebook(lesson).parent / FOLDER
    diagrams = {path.name: path.read_bytes() for path in sorted(built.glob("*.svg"))}
    for student in students:
        notebook = archive.autograded(student, lesson)
        if not notebook.is_file():
            continue
        for name, content in diagrams.items():
            target = notebook.parent / FOLDER / name
            with writing(target):
                target.parent.mkdir(exist_ok=True)
                if not target.is_file() or target.read_bytes() != content:
                    target.write_bytes(content)
