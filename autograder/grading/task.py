"""Describe a run of a submission: its own run, or a run with our versions of missing exercises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from course_lib.running.cell import Cell
from course_lib.running.limits import Limits


@dataclass(frozen=True)
class Task:
    """One task for a sandbox.

    Attributes:
        later: the cells of a second run, see `course_lib.rebuilding.later`.
        over_ours: the exercises to ask hidden questions, if the cells contain our versions of others. Empty in a
            submission's own run, which asks all exercises.
    """

    cells: Sequence[Cell]
    limits: Limits
    later: Sequence[Cell] = ()
    over_ours: tuple[str, ...] = ()
