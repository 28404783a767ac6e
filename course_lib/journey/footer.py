"""Fill in the last line of a card and of a lesson."""

from __future__ import annotations

import os
from pathlib import Path

from course_lib.checking.footer import Footer
from course_lib.checking.formatting import number
from course_lib.contents import LessonEntry, public_exercises, public_lessons
from course_lib.journey.points import remember, remembered
from course_lib.journey.progress import LessonProgress, cell_of, this_notebook
from course_lib.own_notebooks import find_notebooks
from course_lib.session import CURRENT


def footer(exercise_id: str, points: float) -> Footer | None:
    """Record the points of an exercise of the notebook in this folder, and return its lesson's progress.

    If the exercise has all its points, the next exercise is named. If all exercises of the lesson have them, the
    section where the lesson goes on is named. An exercise that is not in the table of contents has no footer.
    """
    entry = next((entry for entry in public_exercises() if entry.id == exercise_id), None)
    if entry is None:
        return None
    remember(entry.id, points)
    entries = {lesson.name: lesson for lesson in public_lessons()}
    lesson = LessonProgress(entries[entry.lesson], {**remembered(Path()), entry.id: points})
    if lesson.done and lesson.lesson.goes_on:
        return Footer(_all_points(lesson), lesson.lesson.goes_on)
    return _footer(lesson, entry.id, lesson.has(entry))


def lesson_end(lesson: str = "") -> Footer:
    """Return the student's progress at the end of a lesson, from the points of the last checks. Run and record nothing.

    The first unfinished exercise is named or, if there is none, the next lesson.

    Args:
        lesson: the lesson's name. The default is the lesson that this kernel has begun, or whose notebook this is.
    """
    entries = {entry.name: entry for entry in public_lessons()}
    here = next((name for name in (lesson, *_here()) if name in entries), "")
    if not here:
        return Footer("Run this lesson's first cell, then this one: it says how far you are")
    return _footer(LessonProgress(entries[here], remembered(Path())))


def _here() -> tuple[str, ...]:
    """Return possible names of the lesson that this kernel runs, the most reliable first."""
    return CURRENT.lesson, Path(this_notebook()).stem, Path.cwd().name


def _footer(lesson: LessonProgress, after: str = "", leads_on: bool = True) -> Footer:
    """Return the footer of a lesson. If ``leads_on``, name the next unfinished exercise after ``after``."""
    if lesson.done:
        following = _lesson_after(lesson.lesson)
        if following is None:
            return Footer(f"{_all_points(lesson)}, the last lesson")
        _, notebooks = find_notebooks(Path(), [other.name for other in public_lessons()])
        path = notebooks.get(following.name)
        link = Path(os.path.relpath(path, Path().resolve())).as_posix() if path else ""
        return Footer(_all_points(lesson), f"lesson {following.number}, {following.title}", link)
    says = f"{number(lesson.points)} of {number(lesson.max_points)} points in this lesson"
    waiting = lesson.next_after(after) if leads_on else None
    if waiting is None:
        return Footer(says)
    here = this_notebook()
    return Footer(says, f"`{waiting.symbol}`", here and here + cell_of(waiting.id))


def _all_points(lesson: LessonProgress) -> str:
    return f"All {number(lesson.max_points)} points from this lesson's checks"


def _lesson_after(lesson: LessonEntry) -> LessonEntry | None:
    return next((other for other in public_lessons() if other.name > lesson.name), None)
