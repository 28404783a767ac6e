"""State the points of exercises and written questions in a lesson's text, according to the policy of the course."""

from __future__ import annotations

import re
from collections.abc import Sequence

from autograder.building.lesson import LessonCell
from autograder.exercises import of_lesson
from autograder.exercises.points import course_points
from course_lib.checking.formatting import number
from course_lib.course import Course

#: the heading of a written question in a lesson
ASKS = "**Written question.**"
_HEADER_ROW = re.compile(r"^(\| about \d+ minutes.*\| )[\d.]+(.*)$", re.MULTILINE)
_COUNT = re.compile(r"\b(\d+ written questions?)\b")


def written_points(course: Course, cell: LessonCell) -> float:
    """Return the points of a written question, or 0 if written questions are not graded."""
    return 0.0 if course.written == "off" else course.written_points * cell.weight


def texts_with_points(course: Course, lesson: str, cells: Sequence[LessonCell]) -> list[str]:
    """Return the source of every cell, with the points that the course gives stated in the prose.

    The header row states the total of the written questions. Each written question states its own points, in the prose
    right before its cell.
    """
    texts = [with_exercise_points(cell.source, lesson) if cell.kind == "prose" else cell.source for cell in cells]
    written = [cell for cell in cells if cell.kind == "written"]
    total = sum(written_points(course, cell) for cell in written)
    worth = f"worth {number(total)}" if total else "(not graded)"
    for index, cell in enumerate(cells):
        if cell.kind == "prose" and written:
            texts[index] = _HEADER_ROW.sub(lambda row: _COUNT.sub(rf"\1 {worth}", row[0], count=1), texts[index])
        elif cell.kind == "written" and index and cells[index - 1].kind == "prose":
            texts[index - 1] = _with_question_points(texts[index - 1], _in_words(course, written_points(course, cell)))
    return texts


def with_exercise_points(prose: str, lesson: str) -> str:
    """Return prose with the course's points for each exercise, if they differ from those in its definition."""
    exercises = [definition.exercise for definition in of_lesson(lesson)]
    own = [exercise for exercise in exercises if exercise.id in course_points()]
    for exercise in own:
        before = rf"^\*\*Your turn(?:, on paper)?\.\*\* `(?:{exercise.symbol}|{exercise.id})` · "
        prose = re.sub(rf"({before})[\d.]+ points?", rf"\g<1>{_points(exercise.points)}", prose, flags=re.MULTILINE)
    if own:
        total = number(sum(exercise.points for exercise in exercises))
        prose = _HEADER_ROW.sub(rf"\g<1>{total}\g<2>", prose)
    return prose


def _with_question_points(prose: str, worth: str) -> str:
    """State the points of the last question in its heading, or on a line of their own if it has no heading."""
    before, asks, after = prose.rpartition(ASKS)
    return f"{before}**Written question ({worth}).**{after}" if asks else f"{prose}\n\n**Written question ({worth}).**"


def _in_words(course: Course, points: float) -> str:
    if not points:
        return "not graded"
    return f"{_points(points)} for an answer" if course.written == "completion" else _points(points)


def _points(points: float) -> str:
    return f"{number(points)} point{'' if points == 1 else 's'}"
