"""Make the table of a class, with a row for each student, a column for each part, and the late deduction."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autograder.gradebook.parts import WRITTEN, Part, Parts, title_of
from autograder.records.decisions import is_replaced, needs_decision
from autograder.records.record import Record, has_all_points, waits
from autograder.records.report import Cell


@dataclass(frozen=True)
class Column:
    """One graded part of the lesson.

    Attributes:
        name: an exercise's id, or nbgrader's name of a written question.
        mean: the mean over the students who have points, or None if there are none.
        waiting: the number of answers that wait for a person.
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
        """Return the part's name as a person reads it."""
        return title_of(self.name)

    @property
    def written(self) -> bool:
        """Return whether the part is a written question."""
        return self.name.startswith(WRITTEN)


@dataclass(frozen=True)
class Row:
    """One student.

    Attributes:
        cells: the results by column, None if the result is missing.
        late: the late deduction, at most the sum of the cells. The score is that sum minus this deduction.
    """

    record: Record
    cells: Sequence[Cell | None]
    late: float

    @property
    def undecided(self) -> bool:
        """Return whether the submission cannot be graded and the instructor has not decided about it yet."""
        record = self.record
        return needs_decision(record) and not record["decision"] and record["score"] is None

    @property
    def waits(self) -> bool:
        """Return whether a part of the points waits for a person."""
        return bool(self.record["waiting"] or self.record["to_review"])

    @property
    def needs_a_look(self) -> bool:
        """Return whether the instructor should look at the submission."""
        return bool(self.record["doubts"] or (self.record["look"] and not has_all_points(self.record)))

    @property
    def notes(self) -> str:
        """Return the remarks about the submission."""
        record = self.record
        kept = record["kept"] and f"the grade of an earlier file; the last one could not be graded: {record['kept']}"
        look = [f"needs a look: {said}" for said in (*record["doubts"], *record["look"] * (not has_all_points(record)))]
        said = (record["decision"], record["reason"], kept, *look, *record["notes"], waits([record]))
        return "; ".join(filter(None, said))


@dataclass(frozen=True)
class Everyone:
    """The whole table."""

    columns: Sequence[Column]
    rows: Sequence[Row]

    @property
    def late(self) -> bool:
        """Return whether anyone has a late penalty."""
        return any(row.late for row in self.rows)

    @property
    def undecided(self) -> bool:
        """Return whether any submission needs a decision."""
        return any(row.undecided for row in self.rows)


def everyone(records: Sequence[Record], parts: Parts, written: Sequence[str]) -> Everyone:
    """Make the table of a lesson.

    Args:
        parts: the gradebook's points. An exercise that is missing there has the points of its record.
        written: nbgrader's names of the written questions that are worth points, in order.
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
        return Cell.of_graded(result, part)
    if part is None or is_replaced(record) or (failed and not part.by_person):
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
