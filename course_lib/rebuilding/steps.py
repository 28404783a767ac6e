"""Arrange the released cells and the student's added cells in the student's order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from course_lib.rebuilding.matching import Matched
from course_lib.rebuilding.theirs import Theirs
from course_lib.running.cells import exercise_of, grade_id, kind_of

Notebook = Any
#: the index of a released cell, and the student's version of it if there is one; or a cell that the student added
Step = tuple[int | None, Theirs | None]


def steps(released: Notebook, theirs: Sequence[Theirs], matched: Matched) -> list[Step]:
    """Return all cells in the student's order. A missing cell goes after the cell that precedes it in the release."""
    groups: list[list[Step]] = [[]]  # each begins with a student's cell, and missing released cells follow
    group_of: dict[int, list[Step]] = {}
    for cell in theirs:
        place = matched.place.get(cell.number)
        groups.append([(place, cell)])
        if place is not None:
            group_of[place] = groups[-1]
    for place in range(len(released["cells"])):
        if place not in group_of:
            group_of[place] = group_of.get(_follows(released, place), groups[0])
            group_of[place].append((place, None))
    return _setup_first(released, [step for group in groups for step in group])


def _follows(released: Notebook, place: int) -> int:
    """Return the cell to put a missing cell after: a check follows its exercise, any other cell its predecessor."""
    if kind_of(released["cells"][place]) == "grade":
        exercise = exercise_of(released["cells"][place])
        return next((n for n in range(place) if grade_id(released["cells"][n]) == exercise), place - 1)
    return place - 1


def _setup_first(released: Notebook, steps: list[Step]) -> list[Step]:
    """Move the set-up cells above every cell that needs them."""

    def kind(step: Step) -> str:
        return "" if step[0] is None else kind_of(released["cells"][step[0]])

    needing = [n for n, step in enumerate(steps) if kind(step) in ("exercise", "demo", "grade")]
    first = needing[0] if needing else len(steps)
    late = [step for step in steps[first:] if kind(step) == "setup"]
    return [*late, *(step for step in steps if step not in late)] if late else steps
