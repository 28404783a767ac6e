"""Read a lesson's text, `lessons/<lesson>.md`, which is a MyST-Markdown notebook."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

import jupytext

from autograder.building.recorded_numbers import with_recorded_numbers
from course_lib.contents import LessonEntry
from course_lib.course import CourseError

Kind = Literal["prose", "setup", "demo", "exercise", "written"]
MOST = 100  #: the largest weight of a written question
KINDS = ("setup", "demo", "exercise", "written")

_HEADING = re.compile(r"^# Lesson (\d\d) · (.+)$", re.MULTILINE)
_EXERCISE = re.compile(r"^:tags: \[exercise\]\s+(\w+)$", re.MULTILINE)
_SECTION = re.compile(r"^## (?:(\d+) · )?(.+)$", re.MULTILINE)
_MINUTES = re.compile(r"^\| about (\d+) minutes", re.MULTILINE)


@dataclass(frozen=True)
class LessonCell:
    """One cell of a lesson.

    Attributes:
        source: prose, code, the model answer of a written question, or the id of an exercise.
        name: the name of a written question.
        weight: the factor by which a written question's points from the policy are multiplied.
    """

    kind: Kind
    source: str
    name: str = ""
    weight: float = 1.0


def read_lesson(path: Path) -> list[LessonCell]:
    """Read a lesson's cells, with numbers in place of references to the record of the experiments.

    Raises:
        CourseError: a cell has no kind, or contains something that its kind does not allow, or the record lacks
            a number.
    """
    cells: list[LessonCell] = []
    text = with_recorded_numbers(path.read_text(encoding="utf-8"), path)
    for number, cell in enumerate(jupytext.reads(text, fmt="md:myst").cells):
        where = f"{path.name}, cell {number} ({cell.source.strip().splitlines()[:1]})"
        kinds = [tag for tag in cell.metadata.get("tags", []) if tag in KINDS]
        if cell.cell_type == "markdown" and kinds in ([], ["written"]):
            kind = "written" if kinds else "prose"
        elif cell.cell_type == "code" and len(kinds) == 1 and kinds != ["written"]:
            kind = kinds[0]
        else:
            raise CourseError(f"{where}: give it one of the tags setup, demo, exercise (code) or written (prose).")
        source = cell.source.strip()
        if kind == "exercise" and not source.isidentifier():
            raise CourseError(f"{where}: an exercise cell holds the exercise's id and nothing else.")
        name = str(cell.metadata.get("name", ""))
        if kind == "written" and not name:
            raise CourseError(f'{where}: a written question needs a name: +++ {{"tags": ["written"], "name": "…"}}.')
        weight = cell.metadata.get("points", 1)
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 < weight <= MOST:
            raise CourseError(
                f'{where}: "points" is {weight!r}; it is the weight of a written question, a number above 0 and up to '
                f"{MOST}, by which the points in course.toml are multiplied."
            )
        if source:
            cells.append(LessonCell(cast(Kind, kind), source, name, float(weight)))
    if [cell.kind for cell in cells].count("setup") != 1:
        raise CourseError(f"{path.name}: a lesson has exactly one setup cell.")
    return cells


def entry_of(path: Path) -> LessonEntry:
    """Return a lesson's title, its minutes, and the sections that follow its exercises.

    Raises:
        CourseError: the head does not state title and minutes.
    """
    text = path.read_text(encoding="utf-8")
    heading, minutes = _HEADING.search(text), _MINUTES.search(text)
    if not heading or heading[1] != path.stem[:2] or not minutes:
        raise CourseError(
            f'{path.name}: a lesson begins with "# Lesson {path.stem[:2]} · Its title", and its table says '
            '"about 90 minutes".'
        )
    return LessonEntry(path.stem, heading[2], int(minutes[1]), _goes_on(text))


def _goes_on(text: str) -> dict[str, str]:
    """Return the section that follows each exercise, unless another exercise comes before it."""
    _, *rest = _EXERCISE.split(text)
    following = {id: _SECTION.search(after) for id, after in zip(rest[::2], rest[1::2], strict=True)}
    return {id: _named(section[1], section[2]) for id, section in following.items() if section}


def _named(number: str | None, title: str) -> str:
    """Return what a card calls a section. A title with a formula is left out, because a terminal can't show it."""
    if not number:
        return title
    return f"section {number}" if "$" in title else f"section {number}, {title}"
