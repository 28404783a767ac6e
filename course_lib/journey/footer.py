"""The last line of a card: how far one is in the lesson, and what comes next."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from course_lib.checking.formatting import number
from course_lib.contents import public_exercises, public_lessons
from course_lib.journey.points import remember, remembered
from course_lib.journey.progress import LessonProgress, cell_of, notebook_of, this_notebook


@dataclass(frozen=True)
class Footer:
    """What the last line says.

    Attributes:
        says: as ``"7 of 13 points in this lesson"``.
        next: what comes next, as ``"attention_loops"`` in backticks; or nothing.
        link: where that is, seen from the notebook; nothing where that is not known.
    """

    says: str
    next: str = ""
    link: str = ""

    @property
    def text(self) -> str:
        """For a terminal."""
        return f"{self.says} · next: {self.next}" if self.next else f"{self.says}."


def footer(exercise_id: str, points: float) -> Footer | None:
    """Note what an exercise of the notebook in this folder earns, and say how far its lesson is.

    Where the exercise has all its points, the next one is named; where the lesson has them, the next lesson. An
    exercise that is not in the table of contents has no footer.
    """
    entry = next((entry for entry in public_exercises() if entry.id == exercise_id), None)
    if entry is None:
        return None
    remember(entry.id, points)
    lessons = public_lessons()
    place = next(i for i, lesson in enumerate(lessons) if lesson.name == entry.lesson)
    lesson = LessonProgress(lessons[place], {**remembered(Path()), entry.id: points})
    most = number(lesson.max_points)
    if lesson.done:
        if place + 1 == len(lessons):
            return Footer(f"All {most} points of this lesson, the last one")
        after = lessons[place + 1]
        path = f"../{notebook_of(after.name)}"
        link = path if Path(path).is_file() else ""
        return Footer(f"All {most} points of this lesson", f"lesson {after.number}, {after.title}", link)
    says = f"{number(lesson.points)} of {most} points in this lesson"
    waiting = lesson.next_after(entry.id) if lesson.has(entry) else None
    if waiting is None:
        return Footer(says)
    here = this_notebook()
    return Footer(says, f"`{waiting.symbol}`", here and here + cell_of(waiting.id))
