"""`course build`: lessons become solutions, notebooks, answer keys and the library to release."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.building.lesson import read_lesson
from autograder.building.notebook import solution_notebook, student_notebook, to_text
from autograder.building.release import release_library
from autograder.exercises import DEFINITIONS
from autograder.exercises.draw import Draw
from autograder.exercises.keys import alike, answer_all, make_key
from course_lib.checking.closeness import identical
from course_lib.checking.exercise import Exercise
from course_lib.checking.key import KEYS, AnswerKey, load_key, save_key
from course_lib.course import Course, CourseError


@dataclass(frozen=True)
class Built:
    """One file that a build makes, and whether it lies there as it should."""

    path: Path
    fresh: bool


def build_lesson(course: Course, lesson: str, check: bool = False) -> Iterator[Built]:
    """Build everything of one lesson; with ``check``, only say what is stale.

    Notebooks are compared by their bytes, answer keys by value: the last bits of a number
    differ between processors.
    """
    solution = solution_notebook(course, lesson, read_lesson(course.root / "lessons" / f"{lesson}.md"))
    student = student_notebook(solution)
    for path, text in (
        (course.solution_notebook(lesson), to_text(solution)),
        (course.student_notebook(lesson), to_text(student)),
    ):
        fresh = path.is_file() and path.read_text(encoding="utf-8") == text
        if not check and not fresh:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        yield Built(path, fresh)
    for definition in DEFINITIONS.values():
        if definition.exercise.lesson == lesson:
            key = _public(course, definition.id)
            path = KEYS / lesson / f"{definition.id}.json"
            fresh = _same_key(path, key)
            if not check and not fresh:
                save_key(key, path.parent)
            yield Built(path, fresh)
    for path in sorted((KEYS / lesson).glob("*")):
        if path.stem not in DEFINITIONS:
            if not check:
                path.unlink()
            yield Built(path, False)
    if not check:
        release_library(lesson, course.root / "build" / "released" / lesson)


def _public(course: Course, exercise_id: str) -> AnswerKey:
    """The key that ships, as the course's policy has it."""
    definition = DEFINITIONS[exercise_id]
    earlier = tuple(DEFINITIONS[name] for name in definition.exercise.builds_on)
    key = make_key(definition, answer_all(definition, Draw.public(exercise_id)), earlier)
    exercise = key.exercise
    if course.finished_functions == "report":
        exercise = replace(exercise, laws=tuple(replace(law, gate=False) for law in exercise.laws))
    if not course.hints:
        exercise = _without_hints(exercise)
    if not course.name_misconceptions:
        return replace(key, exercise=replace(exercise, misconceptions=()), mistakes={}, carried={})
    return replace(key, exercise=exercise)


def _without_hints(exercise: Exercise) -> Exercise:
    none = ("", "", "")
    told = tuple(replace(m, hints=none) for m in exercise.misconceptions)
    return replace(exercise, hints=none, misconceptions=told)


def _same_key(path: Path, key: AnswerKey) -> bool:
    """Whether the key on disk asks and answers what this one does."""
    try:
        known = load_key(path)
    except (OSError, ValueError, KeyError, TypeError):
        return False
    with tempfile.TemporaryDirectory() as folder:  # compare what would be written, not what is in memory
        save_key(key, Path(folder))
        ours = load_key(Path(folder) / f"{key.exercise.id}.json")
    return (
        known.exercise == ours.exercise
        and [(q.name, q.probe) for q in known.questions] == [(q.name, q.probe) for q in ours.questions]
        and all(identical(dict(a.given), dict(b.given)) for a, b in zip(known.questions, ours.questions, strict=True))
        and alike(known.reference, ours.reference)
        and known.mistakes.keys() == ours.mistakes.keys()
        and all(alike(sheet, ours.mistakes[name]) for name, sheet in known.mistakes.items())
        and known.carried.keys() == ours.carried.keys()
        and all(len(sheets) == len(ours.carried[cause]) for cause, sheets in known.carried.items())
        and all(
            alike(theirs, mine)
            for cause, sheets in known.carried.items()
            for theirs, mine in zip(sheets, ours.carried[cause], strict=True)
        )
    )


def require_built(course: Course, lesson: str) -> None:
    """Make sure that a lesson's notebooks are there.

    Raises:
        CourseError: they are not.
    """
    if not course.student_notebook(lesson).is_file():
        raise CourseError(f"{lesson} is not built. Run: course build {lesson}")
