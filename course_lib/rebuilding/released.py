"""Find a lesson's released notebook, in the library or in a checkout of the course."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from course_lib.contents import public_exercises, public_lessons
from course_lib.course import CourseError, course_here
from course_lib.own_notebooks import notebook_in
from course_lib.plugins import plugins
from course_lib.running.cells import grade_id, kind_of
from course_lib.running.reading import read_notebook

Notebook = Any

#: the folder of a released library with START_HERE and the notebooks of the lessons released so far
NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
#: the call at the end of a set-up cell
_BEGIN = re.compile(r'^begin\("(\w+)"', re.MULTILINE)


def lesson_of(notebook: Notebook, path: Path) -> str:
    """Return a notebook's lesson, judging by its metadata, its file name or its content; empty if unknown."""
    lessons = {lesson.name for lesson in public_lessons()}
    about = notebook["metadata"].get("course")
    begun = _BEGIN.search("\n".join(cell["source"] for cell in notebook["cells"]))
    of_exercise = {exercise.id: exercise.lesson for exercise in public_exercises()}
    by_name = (of_exercise[name] for cell in notebook["cells"] if (name := grade_id(cell)) in of_exercise)
    named = [str(about.get("lesson", "")) if isinstance(about, dict) else "", path.stem, begun[1] if begun else ""]
    return next((lesson for lesson in (*named, *by_name) if lesson in lessons), "")


def released_path(lesson: str) -> Path | None:
    """Return the file of a lesson's released notebook, or None if the library came without it."""
    path = notebook_in(NOTEBOOKS, lesson)
    if path is None and (course := course_here()):
        path = course.student_notebook(lesson)
    return path if path is not None and path.is_file() else None


def unedited_notebook(lesson: str) -> Notebook:
    """Return the notebook of a lesson as students receive it: the released one or, in a checkout, built from its text.

    Raises:
        CourseError: this library came without the lesson's notebook.
    """
    if path := notebook_in(NOTEBOOKS, lesson):
        return read_notebook(path)
    for build in plugins("course.notebooks"):
        return build(lesson)
    raise CourseError(f"This library came without the notebook of {lesson}. Install the release that has it.")


def released_notebook(lesson: str, work: Path) -> Notebook:
    """Return the released notebook of a lesson.

    In a checkout, the student may have edited the released notebook itself, and some libraries come without notebooks.
    In both cases, return the student's notebook with its exercise and answer cells emptied.

    Args:
        work: the student's notebook.

    Raises:
        CourseError: the notebook cannot be read.
    """
    path = released_path(lesson)
    if path is not None and path.resolve() != work.resolve():
        return read_notebook(path)
    notebook = read_notebook(work)
    for cell in notebook["cells"]:
        if kind_of(cell) in ("exercise", "written") and grade_id(cell):
            cell["source"] = ""
    return notebook
