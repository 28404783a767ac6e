"""A notebook's code cells, as they are run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

CellKind = Literal["setup", "demo", "exercise", "own", "grade"]


@dataclass(frozen=True)
class Cell:
    """One code cell of a notebook.

    Attributes:
        id: the cell's id.
        kind: ``setup`` and ``exercise`` cells and the student's ``own`` always run. ``demo`` cells run
            only if a name is missing without them. A ``grade`` cell never runs; its exercise is
            asked instead.
        exercise: the exercise's id, for a grade cell.
        symbol: the name of the function or class to ask, for a grade cell.
    """

    id: str
    kind: CellKind
    source: str
    exercise: str = ""
    symbol: str = ""
