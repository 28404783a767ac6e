"""When a notebook is run again: with demo cells that define a missing name, or without a cell that ended it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from course_lib.running.cell import Cell
from course_lib.running.conversation import Conversation

#: of one notebook: with demo cells, and without two cells that end it
MOST_RUNS = 4


@dataclass(frozen=True)
class Run:
    """One way to run a notebook.

    Attributes:
        demos: whether demo cells are run, too.
        used: seconds that earlier runs have used of each budget, see `Budgets`.
    """

    cells: tuple[Cell, ...]
    demos: bool = False
    used: Mapping[str, float] = field(default_factory=dict)

    def after(self, conversation: Conversation) -> Run | None:
        """How to run it again; None where that would change nothing."""
        if conversation.broken:
            return None
        cells = tuple(cell for cell in self.cells if cell.id != conversation.broke)
        missing = conversation.unknown_name and not self.demos and any(cell.kind == "demo" for cell in cells)
        if len(cells) == len(self.cells) and not missing:
            return None
        return Run(cells, self.demos or missing, conversation.used)
