"""Fill in the last line of a card and of a lesson."""

from __future__ import annotations

import os
from pathlib import Path

from course_lib.checking.footer import Footer
from course_lib.checking.formatting import number
from course_lib.contents import public_exercises, public_lessons
from course_lib.journey.points import remember, remembered
from course_lib.journey.progress import LessonProgress, Progress, cell_of
from course_lib.own_notebooks import find_notebooks, this_notebook
from course_lib.session import CURRENT


def footer(exercise_id: str, points: float) -> Footer | None:
    """Record the points of an exercise of the notebook in this folder, and return its lesson's progress.

    If the exercise has all its points, what comes next is named: the section that follows if the student reads on, and
    otherwise the next unfinished exercise. An exercise that is not in the table of contents has no footer.
    """
    entry = next((entry for entry in public_exercises() if entry.id == exercise_id), None)
    if entry is None:
        return None
    remember(entry.id, points)
    entries = {lesson.name: lesson for lesson in public_lessons()}
    lesson = LessonProgress(entries[entry.lesson], {**remembered(Path()), entry.id: points})
    if not lesson.has(entry):
        return Footer(_points(lesson))
    read_to = lesson.exercises[-1] if lesson.done else entry
    section = lesson.lesson.goes_on.get(read_to.id)
    if section and (lesson.done or lesson.next in lesson.exercises[entry.place + 1 : entry.place + 2]):
        return Footer(_points(lesson), f"read on to {section}")
    return _footer(lesson)


def lesson_end(lesson: str = "") -> Footer:
    """Return the student's progress at the end of a lesson, from the points of the last checks. Run and record nothing.

    What comes next is named: in this lesson if an exercise is unfinished, and otherwise what START_HERE names, too.

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
    notebook = this_notebook()
    return CURRENT.lesson, notebook.stem if notebook else "", Path.cwd().name


def _footer(lesson: LessonProgress) -> Footer:
    """Return the footer of a lesson, with what comes next: an exercise of the lesson, or another lesson."""
    if lesson.next is None:
        return _footer_of_done(lesson)
    here = this_notebook()
    return Footer(_points(lesson), f"`{lesson.next.symbol}`", here.name + cell_of(lesson.next.id) if here else "")


def _footer_of_done(lesson: LessonProgress) -> Footer:
    lessons = public_lessons()
    says = _points(lesson) + (", the last lesson" if lesson.lesson == lessons[-1] else "")
    home, notebooks = find_notebooks(Path(), [other.name for other in lessons])
    following = Progress.of(home if notebooks else Path()).next
    if following is None:
        return Footer(says)
    at, entry = following
    path = notebooks.get(at.lesson.name)
    link = Path(os.path.relpath(path, Path().resolve())).as_posix() if path else ""
    title = f"lesson {at.lesson.number}, {at.lesson.title}"
    if at.begun:
        return Footer(says, f"`{entry.symbol}` in {title}", link and link + cell_of(entry.id))
    return Footer(says, title, link)


def _points(lesson: LessonProgress) -> str:
    if not lesson.exercises:
        return "This lesson has no exercises"
    if lesson.done:
        return f"All {number(lesson.max_points)} points from this lesson's checks"
    return f"{number(lesson.points)} of {number(lesson.max_points)} points in this lesson"
