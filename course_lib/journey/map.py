"""The map: every lesson with the points earned, the next exercise, and the student's own parts of the Transformer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from markupsafe import Markup

from course_lib.checking.formatting import number
from course_lib.checking.html import render
from course_lib.diagrams import transformer
from course_lib.journey.progress import LessonProgress, Progress, cell_of
from course_lib.journey.solution import looked_up
from course_lib.own_notebooks import notebook_in

#: the width of a lesson's bar in a terminal
_BAR = 10


class Map:
    """The student's position in the course: a page in a notebook, lines in a terminal.

    Args:
        progress: the student's progress.
        folder: where the notebooks are; a lesson without a notebook there gets no link.
    """

    def __init__(self, progress: Progress, folder: Path = Path()) -> None:
        self.progress, self.folder = progress, folder

    @property
    def headline(self) -> str:
        """The points earned in the whole course."""
        most = number(self.progress.max_points)
        if not self.progress.points:
            return f"{most} points lie ahead of you"
        seen = len(looked_up(self.folder))
        after = f", {seen} solution{'' if seen == 1 else 's'} looked up" if seen else ""
        if self.progress.next is None:
            return f"All {most} points are yours{after}"
        return f"{number(self.progress.points)} of {most} points{after}"

    @property
    def next(self) -> str:
        """What comes next, as a sentence."""
        waiting = self.progress.next
        if waiting is None:
            return (
                "Every exercise has its points. Lesson 12 has a challenge, and every other lesson ends with a stretch."
            )
        lesson, entry = waiting
        where = self._link(entry.lesson) or f"lesson {lesson.lesson.number}, which is not here yet"
        return f"Next: {entry.symbol}, about {entry.minutes} minutes, in {where}"

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        lesson, entry = self.progress.next or (self.progress.lessons[-1], None)
        at = lesson.lesson.name
        link = self._link(at)
        lessons = [(one, self._link(one.lesson.name), share(one), points_of(one)) for one in self.progress.lessons]
        return render(
            Path(__file__).with_suffix(".html"),
            map=self,
            next=entry,
            begin="" if lesson.begun else f"lesson {lesson.lesson.number}, {lesson.lesson.title}",
            at=at,
            # an exercise can't be run without what precedes it, so a lesson is entered at its top
            link=link + cell_of(entry.id) if entry and link and lesson.begun else link,
            some_missing=not all(path for _, path, *_ in lessons),
            lessons=lessons,
            drawing=Markup(transformer.draw(self.progress.passed, at)._repr_html_()),
        )

    def _link(self, lesson: str) -> str:
        """Return the path of a lesson's notebook, relative to the folder; empty if it isn't there."""
        path = notebook_in(self.folder, lesson)
        return path.relative_to(self.folder).as_posix() if path else ""

    def _lines(self) -> Iterator[str]:
        yield f"{self.headline}."
        waiting = self.progress.next
        for lesson in self.progress.lessons:
            full = round(_BAR * share(lesson) / 100)
            mark = "→" if waiting and waiting[0] is lesson else "✓" if lesson.done else " "
            points = points_of(lesson)
            bar = "█" * full + "·" * (_BAR - full)
            yield f"{mark} {lesson.lesson.number}  {bar}  {points:>9}  {lesson.lesson.title}"
        if waiting:
            yield self.next


def share(lesson: LessonProgress) -> int:
    """Return the share of a lesson's points that is earned, in per cent: 100 only for all of them."""
    if not lesson.max_points:
        return 0
    return 100 if lesson.done else min(99, int(100 * lesson.points / lesson.max_points))


def points_of(lesson: LessonProgress) -> str:
    """Return the points earned in a lesson, in words. Without exercises, a lesson is optional."""
    return f"{number(lesson.points)} of {number(lesson.max_points)}" if lesson.max_points else "optional"


def where_am_i(folder: str | Path = ".") -> Map:
    """Return the map of the course, from the last checks of the notebooks in a folder.

    This runs nothing and sends nothing anywhere: each notebook's checks leave their points in a file next to it.
    """
    return Map(Progress.of(Path(folder)), Path(folder))
