"""Whose solutions there are: cut from submissions and from ours, as text."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any

import nbformat

from autograder.exercises import of_lesson
from autograder.exercises.definition import Definition
from autograder.grading.rebuild import rebuild
from autograder.grading.submissions import Submission
from autograder.integrity.compare import Solution
from course_lib.course import Course, CourseError
from course_lib.running.cells import grade_id
from course_lib.running.notebook_file import UnreadableError

Notebook = Any


class Gathered:
    """The solutions of a lesson by exercise: ours and the registered alternatives, and those that are added.

    Attributes:
        solutions: by exercise.
        unread: whose submissions could not be read.

    Raises:
        CourseError: the lesson is not built.
    """

    def __init__(self, course: Course, lesson: str) -> None:
        path = course.student_notebook(lesson)
        if not path.is_file():
            raise CourseError(f"{lesson} is not built. Run: course build {lesson}")
        self._released = nbformat.read(path, as_version=nbformat.NO_CONVERT)
        self._symbols = {definition.id: definition.exercise.symbol for definition in of_lesson(lesson)}
        self._stubs = _cells(self._released, self._symbols)
        self.unread: list[str] = []
        self.solutions = {definition.id: list(self._ours(definition)) for definition in of_lesson(lesson)}

    def add(self, submission: Submission) -> None:
        """Add the solutions of a submission."""
        try:
            notebook = rebuild(self._released, submission.require(), self._symbols).notebook
        except (UnreadableError, OSError):
            self.unread.append(submission.student)
            return
        for name, source in _cells(notebook, self._symbols).items():
            self.solutions[name].append(Solution.of(submission.student, source, self._stubs[name]))

    def _ours(self, definition: Definition) -> Iterator[Solution]:
        stub = self._stubs.get(definition.id, "")
        for one in definition.implementations:
            if one.role in ("reference", "alternative"):
                name = "our solution" if one.role == "reference" else f"our {one.name}"
                yield Solution.of(name, one.source, stub, ours=True)


def _cells(notebook: Notebook, names: Container[str]) -> dict[str, str]:
    """The source of each solution cell, by its exercise."""
    return {
        grade_id(cell): cell.source for cell in notebook.cells if cell.cell_type == "code" and grade_id(cell) in names
    }
