"""Hold one submission's points in the gradebook."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class SubmissionPoints:
    """One submission's points in the gradebook.

    Attributes:
        score: the sum of the points after the late penalty.
        late: the late penalty.
        exercises: the points by exercise id.
        seconds_late: how late the submission was handed in.
        by_person: nbgrader's names of the cells with manual scores.
        extra: the extra credit in these points, by exercise id. It stays when an exercise is graded again.
    """

    score: float
    late: float
    max_score: float
    exercises: dict[str, float]
    waiting: list[str]
    to_review: int
    above_maximum: int
    seconds_late: float
    by_person: frozenset[str]
    extra: dict[str, float] = field(default_factory=dict)


def other_points(old: float | None, new: float) -> bool:
    """Return whether points differ by more than a rounding error, because a gradebook keeps four decimals."""
    return old is None or bool(round(old - new, 3))
