"""Describe a lesson by its minutes, its points, and the earlier lessons whose parts it uses."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable, Iterator
from importlib import import_module

from autograder.book.gathered import page_of
from autograder.building.hosts import links
from autograder.building.lesson import read_lesson
from autograder.exercises import DEFINITIONS, of_lesson
from course_lib.checking.formatting import number
from course_lib.contents import LessonEntry, exercises_of, public_exercises, public_lessons
from course_lib.course import Course

#: the line in the source of the front page that the table of lessons replaces
PLACE = "<!-- lessons -->"
_COMPONENTS = "course_lib.components"
#: the small table at a lesson's head, line by line
_TABLE = re.compile(r"^(\| time \|.*)\n(\|---.*)\n(\| about .*)$", re.MULTILINE)


def builds_on(course: Course, lesson: str) -> list[LessonEntry]:
    """Return the earlier lessons whose parts a lesson uses, in order.

    Parts are the exercises that its exercises build on, what our solutions of them import, and what its notebook
    imports ready-made.
    """
    lesson_of = {entry.symbol: entry.lesson for entry in public_exercises()}
    taken = {lesson_of[symbol] for symbol in _parts(course, lesson) if symbol in lesson_of}
    return [entry for entry in public_lessons() if entry.name in taken and entry.name < lesson]


def lesson_head(course: Course, lesson: str, head: str) -> str:
    """Return the first cell of a lesson as the book shows it.

    Its small table has a column on what the lesson builds on. If the course is hosted, links open the notebook there.
    """
    said = _linked(builds_on(course, lesson), "../{0}/{0}.ipynb") or "nothing before it"
    opened = links(course, course.student_notebook(lesson))
    return "\n\n".join(filter(None, [_TABLE.sub(rf"\1 builds on |\n\2---|\n\3 {said} |", head, count=1), opened]))


def table_of_lessons(course: Course) -> str:
    """Return a Markdown table of the lessons, with minutes, points and what each builds on."""
    rows = (
        f"| [{lesson.number} {lesson.title}]({page_of(lesson.name)}) | {lesson.minutes} "
        f"| {number(sum(entry.points for entry in exercises_of(lesson.name)))} "
        f"| {_linked(builds_on(course, lesson.name), page_of('{0}')) or '–'} |"
        for lesson in public_lessons()
    )
    return "\n".join(["| lesson | minutes | points | builds on |", "|---|---|---|---|", *rows])


def _linked(lessons: Iterable[LessonEntry], address: str) -> str:
    """Return the numbers of lessons, with links."""
    return ", ".join(f'[{lesson.number}]({address.format(lesson.name)} "{lesson.title}")' for lesson in lessons)


def _parts(course: Course, lesson: str) -> Iterator[str]:
    """Yield the symbols that a lesson imports from `course_lib.components`, and those of the exercises it builds on."""
    for definition in of_lesson(lesson):
        yield from (DEFINITIONS[earlier].exercise.symbol for earlier in definition.exercise.builds_on)
        yield from _imported(inspect.getsource(import_module(definition.module)))
    yield from (
        symbol
        for cell in read_lesson(course.lesson_text(lesson))
        if cell.kind == "setup"
        for symbol in _imported(cell.source)
    )


def _imported(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(_COMPONENTS):
            yield from (name.name for name in node.names)
