"""Summarise a class's results in a lesson by exercise: points, named mistakes, blanks, errors and broken checks."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from autograder.gradebook.parts import Part
from autograder.grading.exception_names import is_pythons_own
from autograder.records.record import ExerciseRecord, Record
from course_lib.checking.failure import Failure
from course_lib.checking.formatting import number

#: the result of a part. "marked" has points from a person, and "waits" will get them. In a "hidden" one, an earlier
#: mistake hides whether all of it is right
Kind = Literal["right", "carried", "hidden", "named", "unnamed", "error", "blank", "marked", "waits"]

#: the error of an exercise that was left blank
_UNWRITTEN = "NotImplementedError"
#: the recorded failures in words, including a missing answer
_FAILURES = {failure.value: failure.sentence for failure in Failure} | {Failure.UNANSWERED.value: "no answer"}
#: the fewest students for which a correlation is meaningful
_FEWEST = 10


@dataclass(frozen=True)
class Cell:
    """One exercise or written answer of one student.

    Attributes:
        says: the mistake's name, the error's type, the exercise whose mistake is carried over, or the score by hand
            that waits because it is above the maximum; may be empty.
    """

    kind: Kind
    score: float
    says: str

    @property
    def without_points(self) -> bool:
        """Return whether the part has no points until a person gives some."""
        return self.kind == "waits" and not self.says

    @classmethod
    def of(cls, result: ExerciseRecord) -> Cell:
        """Classify the result of an exercise."""
        score, whole = result["score"], result["score"] >= result["max_score"]
        if result["carried"]:
            return cls("carried" if whole else "hidden", score, result["carried"][0])
        if result["misconception"]:
            return cls("named", score, result["misconception"])
        if whole:
            return cls("right", score, "")
        if result["error"]:
            error = result["error"]
            return cls("blank", score, "") if error == _UNWRITTEN else cls("error", score, _in_words(error))
        return cls("unnamed" if result["broken_laws"] else "marked", score, "")  # no check failed: manual points

    @classmethod
    def of_graded(cls, result: ExerciseRecord, part: Part | None) -> Cell:
        """Classify the result of an exercise, to which a person may have given other points."""
        found = cls.of(result)
        if part is None or not part.by_person:
            return found
        if part.waits:
            return cls.of_part(part)
        return cls("marked", found.score, "") if found.kind == "hidden" else found

    @classmethod
    def of_part(cls, part: Part) -> Cell:
        """Classify the result of a part that a person has graded, or that only the gradebook knows."""
        if part.by_person and part.waits and (part.score or 0.0) > part.most:
            return cls("waits", part.score or 0.0, f"{number(part.score or 0.0)} of {number(part.most)}, waits")
        if part.by_person:
            return cls("marked", part.score or 0.0, "to be confirmed by a grader" if part.waits else "")
        if part.waits or part.score is None:
            return cls("waits", 0.0, "")
        return cls("right" if part.score >= part.most else "blank", part.score, "")


def _in_words(error: str) -> str:
    """Name an error by its type if it is one of Python's own, and otherwise describe it."""
    return error if is_pythons_own(error) else _FAILURES.get(error, "an error of another kind")


@dataclass(frozen=True)
class ExerciseReport:
    """A class's results in one exercise.

    Attributes:
        full: the number of students who earned every point.
        mean: the mean score.
        discrimination: the correlation of the exercise's points with those of the rest of the lesson, over students;
            None if there are too few students, or all have the same points.
        misconceptions: ``(name, sentence, students)``, the most frequent first.
        errors: ``(type of the error, students)`` for code that stopped without a known mistake, most frequent first.
        unnamed: the students who lost points without a known mistake.
        blank: the students who wrote nothing.
        carried: the students who wrote it right but depend on a wrong earlier part.
        hidden: the students of whom a wrong earlier part hides whether all of it is right.
        broken: ``(check's sentence, students)``, the most frequent first, without blanks.
    """

    exercise_id: str
    max_score: float
    graded: int
    full: int
    mean: float
    discrimination: float | None
    misconceptions: tuple[tuple[str, str, tuple[str, ...]], ...]
    errors: tuple[tuple[str, tuple[str, ...]], ...]
    unnamed: tuple[str, ...]
    blank: tuple[str, ...]
    carried: tuple[str, ...]
    hidden: tuple[str, ...]
    broken: tuple[tuple[str, int], ...]


def class_report(records: Sequence[Record]) -> list[ExerciseReport]:
    """Summarise the records of one lesson, exercise by exercise."""
    graded = [r for r in records if r["status"] != "failed"]
    names = dict.fromkeys(name for r in graded for name in r["exercises"])
    return [_exercise(name, [r for r in graded if name in r["exercises"]]) for name in names]


def _exercise(name: str, records: list[Record]) -> ExerciseReport:
    results = [(r["student"], r["exercises"][name]) for r in records]
    cells = [(student, Cell.of(result)) for student, result in results]
    sentences: dict[str, str] = {}
    broken: Counter[str] = Counter()
    for (_, result), (_, cell) in zip(results, cells, strict=True):
        sentences |= result["sentences"]
        if result["score"] < result["max_score"] and cell.kind != "blank":
            broken.update(result["broken_laws"])

    def who(kind: Kind) -> tuple[str, ...]:
        return tuple(student for student, cell in cells if cell.kind == kind)

    def by_what(kind: Kind) -> list[tuple[str, tuple[str, ...]]]:
        found: dict[str, list[str]] = {}
        for student, cell in cells:
            if cell.kind == kind:
                found.setdefault(cell.says, []).append(student)
        return [(what, tuple(found[what])) for what in sorted(found, key=lambda what: (-len(found[what]), what))]

    return ExerciseReport(
        exercise_id=name,
        max_score=max(result["max_score"] for _, result in results),
        graded=len(results),
        full=sum(result["score"] >= result["max_score"] for _, result in results),
        mean=statistics.fmean(result["score"] for _, result in results),
        discrimination=_discrimination(name, records),
        misconceptions=tuple((what, sentences.get(what, ""), students) for what, students in by_what("named")),
        errors=tuple(by_what("error")),
        unnamed=who("unnamed"),
        blank=who("blank"),
        carried=who("carried"),
        hidden=who("hidden"),
        broken=tuple((sentences.get(check, check), count) for check, count in broken.most_common()),
    )


def _discrimination(name: str, records: list[Record]) -> float | None:
    if len(records) < _FEWEST:
        return None
    own = [r["exercises"][name]["score"] for r in records]
    rest = [sum(e["score"] for other, e in r["exercises"].items() if other != name) for r in records]
    try:
        return statistics.correlation(own, rest)
    except statistics.StatisticsError:  # all students have the same points
        return None
