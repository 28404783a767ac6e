"""Hold the points of every submission in a gradebook, by lesson."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class LessonGrade:
    """The grade of one submission.

    Attributes:
        score: the points after the late penalty, or None if there are none yet.
        raw: the points before the late penalty.
        penalty: the late penalty.
        ungraded: the number of parts that wait for a person.
        time: the submission time, if it is known.
        undecided: why the submission cannot be graded, if the instructor has not decided about it yet.
        doubts: the doubts about when and whether it was handed in, unless the instructor has accepted them.
        look: what may have cost right code its points, until a person gives the points or accepts it.
    """

    score: float | None
    raw: float
    penalty: float
    ungraded: int
    time: datetime | None
    undecided: str = ""
    doubts: tuple[str, ...] = ()
    look: tuple[str, ...] = ()


@dataclass(frozen=True)
class LessonGrades:
    """The grades of all lessons of a gradebook.

    Attributes:
        most: the maximum points of each lesson, by name, in order.
        due: the due dates by lesson, None if unknown.
        grades: the grades by lesson and student.
        open_until: the ends of the lessons that still accept work, in UTC, by name.
        timezone: the time zone in which to name the ends.
    """

    most: Mapping[str, float]
    due: Mapping[str, datetime | None]
    grades: Mapping[str, Mapping[str, LessonGrade]]
    open_until: Mapping[str, datetime] = field(default_factory=dict)
    timezone: str = "UTC"

    def shares(self) -> dict[str, list[float]]:
        """Return each submission's share of the points in ascending order, by lesson, for the graded lessons.

        Leave out submissions without points, which could not be graded.
        """
        found: dict[str, list[float]] = {}
        for lesson, most in self.most.items():
            scores = [one.score for one in self.grades[lesson].values() if one.score is not None]
            if scores:
                found[lesson] = sorted(score / most if most else 0.0 for score in scores)
        return found
