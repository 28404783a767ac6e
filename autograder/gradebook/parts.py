"""Hold the gradebook's points of a lesson's graded cells, which are exercises and written answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

#: the prefix of nbgrader's names of written answers
WRITTEN = "written-"


@dataclass(frozen=True, slots=True)
class Part:
    """One graded cell of one submission.

    Attributes:
        score: the points, or None if there are none yet.
        most: the maximum points.
        by_person: whether a person gave the points.
        waits: whether formgrader asks a person to give or review the points.
    """

    score: float | None
    most: float
    by_person: bool = False
    waits: bool = False


#: parts by student and by the cell's name, which is an exercise's id, or ``written-`` and the question's name
Parts = Mapping[str, Mapping[str, Part]]


def title_of(name: str) -> str:
    """Return a graded cell's title: an exercise's id, or a question's name in words."""
    return name.removeprefix(WRITTEN).replace("_", " ") if name.startswith(WRITTEN) else name
