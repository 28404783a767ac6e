"""Decide whether a notebook runs again, with demo cells that define a missing name or without a cell that ended it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from course_lib.running.cell import Cell
from course_lib.running.conversation import Conversation

#: the most runs of one notebook: the first, one with demo cells, and two without a cell that ends it
MOST_RUNS = 4


@dataclass(frozen=True)
class Run:
    """One way to run a notebook.

    Attributes:
        demos: whether demo cells run, too.
        used: the seconds of each budget that earlier runs have used, see `Budgets`.
    """

    cells: tuple[Cell, ...]
    demos: bool = False
    used: Mapping[str, float] = field(default_factory=dict)

    def after(self, conversation: Conversation) -> Run | None:
        """Return how to run the notebook again; None if that would change nothing."""
        if conversation.broken:
            return None
        cells = tuple(cell for cell in self.cells if cell.id != conversation.broke)
        missing = conversation.unknown_name and not self.demos and any(cell.kind == "demo" for cell in cells)
        if len(cells) == len(self.cells) and not missing:
            return None
        return Run(cells, self.demos or missing, conversation.used)
