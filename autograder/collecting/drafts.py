"""Read from Moodle's grading worksheet which submissions are drafts that the student has not handed in."""

from __future__ import annotations

from pathlib import Path

from autograder.collecting.labels import NO_LABELS, Labels
from autograder.collecting.roster import Roster
from autograder.collecting.tables import read_table
from autograder.collecting.times import columns_of, student_columns, students_in

#: how the status of a draft begins, in English and German
_DRAFT = ("draft", "entwurf")


def drafts_in(path: Path, roster: Roster | None, labels: Labels = NO_LABELS) -> dict[str, bool]:
    """Return whether a student's submission is a draft, for each student with a *Status* in a table.

    Raises:
        CourseError: the table cannot be read.
    """
    table = read_table(path, "grading worksheet")
    status, students = columns_of(table).get("status", ""), student_columns(table)
    return {
        student: said.casefold().startswith(_DRAFT)
        for _, row in table.rows
        if (said := row.get(status, ""))
        for student in students_in(row, students, roster, labels)
    }
