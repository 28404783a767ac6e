"""A submission once it is judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from course_lib.checking.judge import Verdict
from course_lib.running.outcome import Status


@dataclass(frozen=True)
class Graded:
    """One submission, judged.

    Attributes:
        reason: why it was stopped or failed; empty where the status is graded.
        verdicts: by exercise id, in the lesson's order; empty where the status is failed.
        notes: what was odd about the submission, for the instructor.
        look: what may have cost right code its points, such as a package that the grader lacks.
        sandboxed: whether it ran inside the sandbox.
        courses_fault: whether it failed for a reason that lies in the course or the grader, not in what was handed in.
        asked: whether its code was asked the hidden questions.
        file: a digest of the file alone.
        digest: of all that its grade follows from, see `Grader.digest`; empty where grading it again may come to
            something else.
    """

    student: str
    lesson: str
    status: Status
    reason: str
    verdicts: Mapping[str, Verdict]
    max_score: float
    notes: tuple[str, ...] = ()
    look: tuple[str, ...] = ()
    sandboxed: bool = True
    digest: str = ""
    file: str = ""
    courses_fault: bool = False
    asked: bool = False

    @property
    def score(self) -> float:
        """The sum over the exercises."""
        return sum(verdict.score for verdict in self.verdicts.values())
