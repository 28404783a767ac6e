"""The table of a class: a row for each student, a column for each part, and a deduction that makes them add up."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autograder.records.decisions import needs_decision
from autograder.records.parts import WRITTEN, Part, Parts, title_of
from autograder.records.record import Record, waits
from autograder.records.report import Cell


@dataclass(frozen=True)
class Column:
    """One graded part of the lesson.

    Attributes:
        name: an exercise's id, or nbgrader's name of a written question.
        mean: over the students who have points in it; None where there are none.
        waiting: how many students wait for a person in it.
    """

    name: str
    most: float
    mean: float | None
    full: int
    graded: int
    blank: int
    waiting: int

    @property
    def title(self) -> str:
        """What a person calls it."""
        return title_of(self.name)

    @property
    def written(self) -> bool:
        """Whether it is a written question."""
        return self.name.startswith(WRITTEN)


@dataclass(frozen=True)
class Row:
    """One student.

    Attributes:
        cells: one for each column; None where there is no result.
        late: what is deducted for being late, at most the sum of the cells: the cells less this are the score.
    """

    record: Record
    cells: Sequence[Cell | None]
    late: float

    @property
    def undecided(self) -> bool:
        """Whether it cannot be graded, and nobody has decided yet what becomes of it."""
        record = self.record
        return needs_decision(record) and not record["decision"] and record["score"] is None

    @property
    def notes(self) -> str:
        """What else is to be known of the submission."""
        record = self.record
        kept = record["kept"] and f"the grade of an earlier file; the last one could not be graded: {record['kept']}"
        said = (record["decision"], record["reason"], kept, *record["notes"], waits([record]))
        return "; ".join(filter(None, said))


@dataclass(frozen=True)
class Everyone:
    """The whole table."""

    columns: Sequence[Column]
    rows: Sequence[Row]

    @property
    def late(self) -> bool:
        """Whether anyone loses points for being late."""
        return any(row.late for row in self.rows)

    @property
    def undecided(self) -> bool:
        """Whether any submission needs a decision."""
        return any(row.undecided for row in self.rows)


def everyone(records: Sequence[Record], parts: Parts, written: Sequence[str]) -> Everyone:
    """Make the table of a lesson.

    Args:
        parts: what the gradebook has; an exercise that it lacks has the points of its record.
        written: nbgrader's names of the written questions that are worth something, in order.
    """
    exercises = dict.fromkeys(name for record in records for name in record["exercises"])
    names = [*exercises, *written]
    rows = [_row(record, parts.get(record["student"], {}), names) for record in records]
    columns = [_column(name, [row.cells[at] for row in rows], rows, parts) for at, name in enumerate(names)]
    return Everyone(columns, rows)


def _row(record: Record, parts: Mapping[str, Part], names: Sequence[str]) -> Row:
    cells = [_cell(record, name, parts.get(name)) for name in names]
    earned = sum(cell.score for cell in cells if cell)
    return Row(record, cells, round(min(record["late"], earned), 6))


def _cell(record: Record, name: str, part: Part | None) -> Cell | None:
    failed = record["status"] == "failed"
    if (result := record["exercises"].get(name)) and not failed:
        return Cell.of(result)
    if part is None or record["decision"] or (failed and not part.by_person):
        return None
    return Cell.of_part(part)


def _column(name: str, cells: Sequence[Cell | None], rows: Sequence[Row], parts: Parts) -> Column:
    most = [e[name]["max_score"] for row in rows if name in (e := row.record["exercises"])]
    most += [theirs[name].most for theirs in parts.values() if name in theirs]
    graded = [cell for cell in cells if cell and cell.kind != "waits"]
    return Column(
        name=name,
        most=max(most, default=0.0),
        mean=statistics.fmean(cell.score for cell in graded) if graded else None,
        full=sum(cell.score >= max(most, default=0.0) for cell in graded),
        graded=len(graded),
        blank=sum(cell.kind == "blank" for cell in graded),
        waiting=sum(cell is not None and cell.kind == "waits" for cell in cells),
    )
