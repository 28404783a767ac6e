"""Rebuild a student's own file at home, exactly as the grader will rebuild it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from course_lib.contents import exercises_of
from course_lib.course import CourseError
from course_lib.rebuilding.rebuild import Rebuilt, rebuild
from course_lib.rebuilding.released import lesson_of, released_notebook
from course_lib.rebuilding.theirs import their_cells
from course_lib.running.cells import exercise_of, kind_of
from course_lib.running.notebook_file import UnreadableError
from course_lib.running.reading import read_notebook


@dataclass(frozen=True)
class AtHome:
    """A student's own notebook.

    Attributes:
        version: the course version in its metadata; empty if there is none.
    """

    lesson: str
    version: str
    rebuilt: Rebuilt


def rebuilt_notebook(path: Path) -> AtHome:
    """Rebuild the notebook in a file.

    Raises:
        CourseError: there is no such notebook, it cannot be read, or it belongs to no lesson of the course.
    """
    notebook = read_notebook(path)
    lesson = lesson_of(notebook, path)
    if lesson and not exercises_of(lesson):
        raise CourseError(f"{path}: this lesson has no exercises, so there is nothing to check. Hand it in as it is.")
    if not lesson:
        raise CourseError(f"{path} has no exercise of this course. Name a lesson's notebook.")
    released = released_notebook(lesson, path)
    asked = {exercise_of(cell) for cell in released["cells"] if kind_of(cell) == "grade"}
    symbols = {exercise.id: exercise.symbol for exercise in exercises_of(lesson) if exercise.id in asked}
    try:
        theirs = their_cells(notebook["cells"])
    except UnreadableError as error:
        raise CourseError(f"{path} cannot be read: {error}.") from None
    about = notebook["metadata"].get("course")
    version = about.get("version", "") if isinstance(about, dict) else ""
    return AtHome(lesson, str(version), rebuild(released, theirs, symbols))
