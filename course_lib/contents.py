"""Which lessons and exercises the course has: read without torch, and known wherever the library is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from course_lib.extensions import extension_folders

#: written by `course build`; it tells no answer, and is released to everyone
CONTENTS = Path(__file__).parent / "contents.json"
#: the file of that name in an extension's folder lists what is its own; a release has everything in one
NAME = CONTENTS.name


@dataclass(frozen=True)
class Entry:
    """An exercise as a table of contents lists it.

    Attributes:
        id: as ``"scaled_dot_product_attention"``.
        lesson: as ``"03_self_attention"``.
        symbol: the name the student defines, as ``"SelfAttention"``.
        signature: as ``"(query, key, value, mask=None)"``; empty if the answer is a value, worked out on paper.
        points: what it earns.
        place: its place in the lesson, from 0.
        minutes: about how long it takes.
    """

    id: str
    lesson: str
    symbol: str
    signature: str
    points: float
    place: int
    minutes: int

    @property
    def on_paper(self) -> bool:
        """Whether the answer is a value that a student works out on paper, not a function or class."""
        return not self.signature


@dataclass(frozen=True)
class LessonEntry:
    """A lesson as a table of contents lists it.

    Attributes:
        name: as ``"03_self_attention"``.
        title: as ``"Self-attention"``.
        minutes: about how long it takes to read, write and run.
        goes_on: the section that follows an exercise, by the exercise's id, as ``"section 10, Find the bug"``. An
            exercise that another one follows in the same section isn't in it.
    """

    name: str
    title: str
    minutes: int
    goes_on: Mapping[str, str] = field(default_factory=dict)

    @property
    def number(self) -> str:
        """As ``"03"``."""
        return self.name[:2]


@cache
def public_exercises() -> tuple[Entry, ...]:
    """Every exercise of the course, in the order of lessons."""
    return tuple(Entry(**entry) for entry in _read()["exercises"])


@cache
def public_lessons() -> tuple[LessonEntry, ...]:
    """Every lesson of the course, in order."""
    return tuple(LessonEntry(**entry) for entry in _read()["lessons"])


def exercise_called(name: str) -> Entry | None:
    """Return an exercise by its id, or by the name that students define; None if there is none."""
    return next((entry for entry in public_exercises() if name in (entry.id, entry.symbol)), None)


def exercises_of(lesson: str) -> list[Entry]:
    """The exercises of a lesson, in its order."""
    return [entry for entry in public_exercises() if entry.lesson == lesson]


@cache
def _read() -> dict[str, list[dict[str, Any]]]:
    """What the library lists, and what extensions do; a lesson of theirs takes the place of ours of that name."""
    lessons: dict[str, dict[str, Any]] = {}
    exercises: dict[str, dict[str, Any]] = {}
    for path in (CONTENTS, *(folder / NAME for folder in extension_folders())):
        if path is CONTENTS or path.is_file():
            contents = json.loads(path.read_text(encoding="utf-8"))
            lessons |= {lesson["name"]: lesson for lesson in contents["lessons"]}
            exercises |= {exercise["id"]: exercise for exercise in contents["exercises"]}
    return {
        "lessons": [lessons[name] for name in sorted(lessons)],
        "exercises": sorted(exercises.values(), key=lambda entry: (entry["lesson"], entry["place"])),
    }


def contents_text(lessons: Iterable[LessonEntry], exercises: Iterable[Entry]) -> str:
    """The file's text: a line for each lesson and each exercise."""
    by_name: dict[str, list[LessonEntry] | list[Entry]] = {
        "lessons": sorted(lessons, key=lambda lesson: lesson.name),
        "exercises": sorted(exercises, key=lambda entry: (entry.lesson, entry.place)),
    }
    lists = (
        f'"{name}": [\n' + ",\n".join(json.dumps(asdict(entry), ensure_ascii=False) for entry in entries) + "\n]"
        for name, entries in by_name.items()
    )
    return "{" + ",\n".join(lists) + "}\n"
