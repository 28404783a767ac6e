"""What came out of running a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from course_lib.checking.sheet import Sheet

#: graded: every cell that grading needs ran to its end, whatever it raised ·
#: stopped: a limit was reached, what was answered before counts ·
#: failed: the submission could not be read or run at all
Status = Literal["graded", "stopped", "failed"]

#: before an exercise's id, in sheets: the answers to questions that may be shown, from processes that saw no others
PUBLIC = "public "
#: before those of a second run, which asks exercises that are defined again below their checks
LATER = "later "

Output = dict[str, Any]  #: one of a cell's outputs, as nbformat has them


@dataclass(frozen=True)
class Outcome:
    """What came out of running one submission. Nothing in it is trusted, and nothing in it judges.

    Attributes:
        outputs: by cell id, what a cell printed and showed, as nbformat outputs; sizes are limited.
        sheets: by exercise id, the answers; an exercise that was not reached is missing.
        reason: for a student and an instructor to read; empty where the status is graded.
        seconds: wall time.
        processor_seconds: CPU seconds of all its processes; None where that is not known.
        broken: whether its processes fell silent or apart though no limit ended them: what is missing says nothing
            about the notebook, which should be run again.
        unfinished: whether the machine was too busy for a cell or an answer to come to its end.
        asked: whether a process of it was sent questions that may not be shown.
        over_ours: the exercises that were asked over the course's version of earlier ones, with the names of those.
    """

    status: Status
    reason: str = ""
    outputs: Mapping[str, list[Output]] = field(default_factory=dict)
    sheets: Mapping[str, Sheet] = field(default_factory=dict)
    seconds: float = 0.0
    processor_seconds: float | None = None
    broken: bool = False
    unfinished: bool = False
    over_ours: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    asked: bool = False

    @property
    def final(self) -> bool:
        """Whether running it again comes to the same, as far as that can be told."""
        return not self.broken and not self.unfinished
