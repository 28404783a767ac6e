"""Read submission times from an instructor's table or Moodle's grading worksheet."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.collecting.labels import NO_LABELS, Labels
from autograder.collecting.roster import Roster
from autograder.collecting.tables import Table, read_table
from autograder.submissions.submission_time import HandedIn, names_zone, parse_local_time
from course_lib.checking.formatting import printable
from course_lib.contents import public_lessons
from course_lib.course import CourseError

#: the columns that name the student, the most reliable first
_STUDENTS = (
    "student",
    "id",
    "label",
    "sis login id",
    "username",
    "id number",
    "email address",
    "id-nummer",
    "e-mail-adresse",
    "full name",
    "vollständiger name",
    "identifier",
)
#: the columns of the time. The second is Moodle's
_TIMES = ("time", "last modified (submission)")
_MOST_PROBLEMS = 10  #: the most wrong lines that one message lists


@dataclass(frozen=True)
class Times:
    """Submission times from a table.

    Attributes:
        by_student: the time of each student who has one.
        note: a sentence about the zone in which times were read that name none, or empty if all name one.
    """

    by_student: Mapping[str, HandedIn]
    note: str = ""


def read_times(
    path: Path, lesson: str, roster: Roster | None, labels: Labels = NO_LABELS, timezone: str = "UTC"
) -> Times:
    """Return the submission times of a lesson.

    The table has the columns student and time, and also lesson if it covers several.

    Args:
        timezone: the zone of times that name none.

    Raises:
        CourseError: the table cannot be read, lacks a column, names somebody who is not on the roster, or contains a
            time that cannot be read or is doubtful. The error lists the lines.
    """
    table = read_table(path, "table of times")
    columns, students = columns_of(table), student_columns(table)
    times = [columns[name] for name in _TIMES if name in columns]
    if not students or not times:
        raise CourseError(
            f"The table of times {path} needs the columns student and time (and lesson, if it has several)."
        )
    names = {entry.name: (entry.name, entry.number) for entry in public_lessons()}.get(lesson, (lesson,))
    found: dict[str, HandedIn] = {}
    problems, local = list[str](), False
    for line, row in table.rows:
        said = row.get(times[0], "")
        of = row.get(columns.get("lesson", ""), "")
        if said in ("", "-") or (of and of not in names and of.zfill(2) not in names):
            continue
        text = re.sub(r"\s+([+-]\d\d:?\d\d)$", r"\1", said)
        owners, time = students_in(row, students, roster, labels), parse_local_time(text, timezone)
        if not owners:
            who = printable(next((row.get(column, "") for column in students if row.get(column)), "nobody"))
            problems.append(f"line {line} names {who!r}, who does not match exactly one student")
        elif time.problem:
            problems.append(f"line {line}: {time.problem}")
        elif twice := [student for student in owners if found.get(student, time) != time]:
            problems.append(f"line {line} gives {', '.join(twice)} a second time")
        else:
            found |= dict.fromkeys(owners, time)
            local = local or not names_zone(text)
    if problems:
        raise CourseError(_nothing_collected(path, problems))
    where = "" if timezone == "UTC" else " (late.timezone in course.toml)"
    note = f"Times in {path} that name no zone were read in {timezone}{where}."
    if timezone == "UTC":
        note += " If they are local times, set late.timezone in course.toml and collect again."
    return Times(found, note if local else "")


def _nothing_collected(path: Path, problems: Sequence[str]) -> str:
    more = len(problems) - _MOST_PROBLEMS
    lines = [f"{problem}." for problem in problems[:_MOST_PROBLEMS]] + [f"And {more} more."] * (more > 0)
    return "\n".join([f"Nothing was collected. Correct these lines of {path}:", *lines])


def columns_of(table: Table) -> dict[str, str]:
    """Return a table's columns by their names in lower case."""
    return {" ".join(name.casefold().split()): name for name in reversed(table.columns)}


def student_columns(table: Table) -> list[str]:
    """Return the columns that may name a row's student, the most reliable first."""
    columns = columns_of(table)
    return [columns[name] for name in _STUDENTS if name in columns]


def students_in(row: Mapping[str, str], columns: list[str], roster: Roster | None, labels: Labels) -> tuple[str, ...]:
    """Return the students whom a row names: several for a team, none if that is not clear."""
    for said in filter(None, (row.get(column, "") for column in columns)):
        if owners := labels.of(said):
            return owners
        if roster is None:
            return (said,)
        members = roster.meant(said)
        if len(members) == 1:
            return (next(iter(members)).id,)
    return ()
