"""How many points a late submission loses, according to ``[late]`` in `course.toml`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

Kind = Literal["none", "zero", "percent_per_day"]

_DAY = 86_400


@dataclass(frozen=True)
class LatePolicy:
    """The late policy of a course.

    Attributes:
        policy: whether being late costs nothing, everything, or a percentage of the points for each day that begins.
        percent: how much a day costs.
        grace_minutes: how late a submission may be without losing anything.
        most_days: the number of days after which a submission loses everything; 0 for no limit.
        timezone: the time zone of a due date that doesn't name one.
    """

    policy: Kind = "none"
    percent: float = 10.0
    grace_minutes: float = 0.0
    most_days: float = 0.0
    timezone: str = "UTC"

    def lost(self, score: float, seconds: float) -> float | None:
        """Return the points that a submission loses; None if it loses none.

        Args:
            score: the points of the submission.
            seconds: how late it was handed in. Within the grace period nothing is lost. After that, days are counted
                from the due date.
        """
        if self.policy == "none" or seconds <= self.grace_minutes * 60:
            return None
        days = math.ceil(seconds / _DAY)
        if self.policy == "zero" or (self.most_days and seconds > self.most_days * _DAY):
            return score
        return min(score, score * self.percent / 100 * days)

    def __str__(self) -> str:
        """Describe the policy in a sentence."""
        if self.policy == "none":
            return "Being late costs nothing."
        grace = f"After a grace period of {self.grace_minutes:g} minutes, a" if self.grace_minutes else "A"
        if self.policy == "zero":
            return f"{grace} late submission has 0 points."
        most = f" After {self.most_days:g} days it has 0 points." if self.most_days else ""
        return f"{grace} late submission loses {self.percent:g} % of its points for each day that begins.{most}"
