"""A student's progress: the points of each lesson, and what comes next."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from course_lib.contents import Entry, LessonEntry, exercises_of, public_lessons
from course_lib.journey.points import remembered


@dataclass(frozen=True)
class LessonProgress:
    """A student's progress in a lesson.

    Attributes:
        lesson: the lesson.
        earned: the points of each exercise that was checked, by its id.
    """

    lesson: LessonEntry
    earned: dict[str, float]

    @cached_property
    def exercises(self) -> list[Entry]:
        """The exercises, in the lesson's order."""
        return exercises_of(self.lesson.name)

    @property
    def points(self) -> float:
        """The points earned, at most those of the exercises."""
        return sum(min(self.earned.get(entry.id, 0.0), entry.points) for entry in self.exercises)

    @property
    def max_points(self) -> float:
        """The points that can be earned."""
        return sum(entry.points for entry in self.exercises)

    @property
    def begun(self) -> bool:
        """Whether an exercise has points."""
        return self.points > 0

    @property
    def done(self) -> bool:
        """Whether every exercise has its points. A lesson without exercises is never done."""
        return bool(self.exercises) and all(self.has(entry) for entry in self.exercises)

    def has(self, entry: Entry) -> bool:
        """Return whether an exercise has all its points."""
        return self.earned.get(entry.id, 0.0) >= entry.points

    @property
    def next(self) -> Entry | None:
        """The exercise after the last one that has its points or, if that was the end, the first unfinished one."""
        start = max((place for place, entry in enumerate(self.exercises, start=1) if self.has(entry)), default=0)
        waiting = (entry for entry in self.exercises[start:] + self.exercises[:start] if not self.has(entry))
        return next(waiting, None)


@dataclass(frozen=True)
class Progress:
    """A student's progress in the course.

    Attributes:
        lessons: all of them, in order.
    """

    lessons: tuple[LessonProgress, ...]

    @classmethod
    def of(cls, folder: Path) -> Progress:
        """Return the progress from the last checks of the notebooks in a folder or in its direct subfolders."""
        earned = remembered(folder)
        return cls(tuple(LessonProgress(lesson, earned) for lesson in public_lessons()))

    @property
    def points(self) -> float:
        """The points earned in all lessons."""
        return sum(lesson.points for lesson in self.lessons)

    @property
    def max_points(self) -> float:
        """The points that can be earned in all lessons."""
        return sum(lesson.max_points for lesson in self.lessons)

    @property
    def passed(self) -> set[str]:
        """The exercises that have all their points."""
        return {entry.id for lesson in self.lessons for entry in lesson.exercises if lesson.has(entry)}

    @property
    def next(self) -> tuple[LessonProgress, Entry] | None:
        """What comes next, wherever it is shown: an exercise and its lesson; None if every exercise has its points.

        It is in the last lesson that was begun and isn't done. If there is none, it is in the lesson after the last
        one that is done, and at the end of the course in the first lesson that isn't.
        """
        begun = [lesson for lesson in self.lessons if lesson.begun and not lesson.done]
        start = max((place for place, lesson in enumerate(self.lessons, start=1) if lesson.done), default=0)
        for lesson in (*begun[-1:], *self.lessons[start:], *self.lessons[:start]):
            if entry := lesson.next:
                return lesson, entry
        return None


def id_of_task(exercise_id: str) -> str:
    """Return the id of the cell with an exercise's text, which is above the exercise's own cell."""
    return f"task-{exercise_id.replace('_', '-')}"


def cell_of(exercise_id: str) -> str:
    """Return the part of a link that leads to an exercise's text. JupyterLab follows it; others open the notebook."""
    return f"#cell-id={id_of_task(exercise_id)}"
