"""The points of every graded cell of a lesson, as the gradebook has them: exercises and written answers alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

#: how nbgrader's names of written answers begin
WRITTEN = "written-"


@dataclass(frozen=True, slots=True)
class Part:
    """One graded cell of one submission.

    Attributes:
        score: None where nobody has given any points.
        by_person: whether a person gave them.
        waits: whether formgrader asks a person for them, or for a second look.
    """

    score: float | None
    most: float
    by_person: bool = False
    waits: bool = False


#: by student and by the name of the cell: an exercise's id, or ``written-`` and the question's name
Parts = Mapping[str, Mapping[str, Part]]


def title_of(name: str) -> str:
    """Return what a person calls a graded cell: an exercise's id, or a question's name in words."""
    return name.removeprefix(WRITTEN).replace("_", " ") if name.startswith(WRITTEN) else name
