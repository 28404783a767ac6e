"""The points of every submission in a gradebook, lesson by lesson."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class LessonGrade:
    """A submission of a lesson.

    Attributes:
        score: the points, less a penalty for being late; None where nobody has given any.
        raw: the points before that penalty.
        ungraded: how many of its parts wait for a person.
        undecided: why it cannot be graded, if nobody has decided yet what becomes of it.
    """

    score: float | None
    raw: float
    penalty: float
    ungraded: int
    time: datetime | None
    undecided: str = ""


@dataclass(frozen=True)
class LessonGrades:
    """All lessons of a gradebook.

    Attributes:
        most: the points that each lesson gives, by its name, in order.
        due: when each was due, where that is known.
        grades: by lesson and student.
    """

    most: Mapping[str, float]
    due: Mapping[str, datetime | None]
    grades: Mapping[str, Mapping[str, LessonGrade]]

    def shares(self) -> dict[str, list[float]]:
        """Of every lesson that was graded, by name: what share of the points each submission has, the least first.

        A submission without any points, one that could not be graded, is left out.
        """
        found: dict[str, list[float]] = {}
        for lesson, most in self.most.items():
            scores = [one.score for one in self.grades[lesson].values() if one.score is not None]
            if scores:
                found[lesson] = sorted(score / most if most else 0.0 for score in scores)
        return found
