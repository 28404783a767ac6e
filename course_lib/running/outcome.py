"""The result of running a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from course_lib.checking.answers import Answers
from course_lib.running.limits import Limits

#: graded: every cell that grading needs ran to its end, whatever it raised ·
#: stopped: a limit was reached, what was answered before counts ·
#: failed: the submission could not be read or run at all
Status = Literal["graded", "stopped", "failed"]

#: prefix of an exercise's id for its answers to public questions, from processes that saw no hidden questions
PUBLIC = "public "
#: prefix for the answers of a second run, which asks exercises that are redefined below their checks
LATER = "later "
#: prefix for the answers that use the course's versions of earlier exercises that are wrong
OVER_OURS = "over ours "

Output = dict[str, Any]  #: one output of a cell, in nbformat


@dataclass(frozen=True)
class Outcome:
    """The result of running one submission. It is untrusted data, and contains no verdicts.

    Attributes:
        outputs: the outputs of each cell, by cell id, in nbformat and of limited size.
        all_answers: the answers by exercise id; exercises that were not reached are missing.
        reason: the reason, for students and instructors to read; empty if the status is graded.
        seconds: wall time.
        processor_seconds: CPU seconds of all its processes; None if unknown.
        unseen: code that ran although it is in no cell, with the name of its file, see `unseen_code`.
        idle_seconds: how long its cells waited without using a processor.
        broken: whether its processes stopped responding or broke the protocol although no limit ended them. Missing
            answers then say nothing about the notebook, which should run again.
        unfinished: whether the machine was too busy to finish a cell or an answer.
        asked: whether any of its processes was sent hidden questions.
        over_ours: the exercises that were asked with the course's version of earlier ones, with the earlier names.
    """

    status: Status
    reason: str = ""
    outputs: Mapping[str, list[Output]] = field(default_factory=dict)
    all_answers: Mapping[str, Answers] = field(default_factory=dict)
    seconds: float = 0.0
    processor_seconds: float | None = None
    broken: bool = False
    unfinished: bool = False
    over_ours: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    asked: bool = False
    idle_seconds: float = 0.0
    unseen: Mapping[str, str] = field(default_factory=dict)

    def share_of(self, limits: Limits) -> float:
        """Return the share that this run used of the processor time, or of the time to wait, of all cells."""
        waited = self.idle_seconds / limits.idle_seconds if limits.idle_seconds else 0.0
        return max((self.processor_seconds or 0.0) / limits.cells_seconds, waited)

    def with_cost_of(self, again: Outcome) -> Outcome:
        """Add the time that another run of the same submission took, the code it ran, and whether it was cut off."""
        used = None
        if self.processor_seconds is not None and again.processor_seconds is not None:
            used = self.processor_seconds + again.processor_seconds
        return replace(
            self,
            seconds=self.seconds + again.seconds,
            processor_seconds=used,
            idle_seconds=self.idle_seconds + again.idle_seconds,
            unseen={**self.unseen, **again.unseen},
            unfinished=self.unfinished or again.unfinished or again.broken,
        )

    @property
    def final(self) -> bool:
        """Whether another run would presumably give the same result."""
        return not self.broken and not self.unfinished
