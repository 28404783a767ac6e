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
        kind: ``setup`` and ``exercise`` cells and the student's ``own`` always run; ``demo``
            cells only where a name is missing without them; a ``grade`` cell is never run, its
            exercise is asked instead.
        exercise: of a grade cell, the exercise's id.
        symbol: of a grade cell, the name to be asked.
    """

    id: str
    kind: CellKind
    source: str
    exercise: str = ""
    symbol: str = ""
