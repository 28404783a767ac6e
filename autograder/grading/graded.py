"""Describe a submission that has been judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from course_lib.checking.judge import Verdict
from course_lib.running.outcome import Status


@dataclass(frozen=True)
class Graded:
    """One submission, judged.

    Attributes:
        reason: why the submission was stopped or failed, or empty if its status is graded.
        verdicts: the verdicts by exercise id, in the lesson's order; empty if the status is failed.
        notes: remarks about the submission for the instructor.
        look: what may have cost correct code its points, such as a package that the grader lacks.
        sandboxed: whether the submission ran inside the sandbox.
        digest: a digest of everything that determines the grade, see `autograder.grading.origin`; empty if grading it
            again may have another result.
        file: a digest of the file alone.
        courses_fault: whether the failure is the fault of the course or the grader.
        asked: whether the submission's code was asked the hidden questions.
        unseen: code that ran although it is in no cell, with the name of its file.
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
    unseen: Mapping[str, str] = field(default_factory=dict)

    @property
    def score(self) -> float:
        """Return the sum over the exercises."""
        return sum(verdict.score for verdict in self.verdicts.values())
