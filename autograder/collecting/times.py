"""Read submission times from an instructor's table or Moodle's grading worksheet."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from autograder.collecting.labels import NO_LABELS, Labels
from autograder.collecting.roster import Roster
from autograder.collecting.tables import read_table
from autograder.grading.submission_time import HandedIn, parse_time
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
    "full name",
    "identifier",
)
#: the columns of the time. The second is Moodle's
_TIMES = ("time", "last modified (submission)")


def read_times(path: Path, lesson: str, roster: Roster | None, labels: Labels = NO_LABELS) -> dict[str, HandedIn]:
    """Return the submission times of a lesson, by student.

    The table has the columns student and time, and also lesson if it covers several.

    Raises:
        CourseError: the table cannot be read, lacks a column, names somebody who is not on the roster, or contains a
            time that cannot be read or is doubtful.
    """
    table = read_table(path, "table of times")
    columns = {" ".join(name.casefold().split()): name for name in reversed(table.columns)}
    students = [columns[name] for name in _STUDENTS if name in columns]
    times = [columns[name] for name in _TIMES if name in columns]
    if not students or not times:
        raise CourseError(
            f"The table of times {path} needs the columns student and time (and lesson, if it has several)."
        )
    names = {entry.name: (entry.name, entry.number) for entry in public_lessons()}.get(lesson, (lesson,))
    found: dict[str, HandedIn] = {}
    for line, row in table.rows:
        said = row.get(times[0], "")
        of = row.get(columns.get("lesson", ""), "")
        if said in ("", "-") or (of and of not in names and of.zfill(2) not in names):
            continue
        owners = _students(row, students, roster, labels)
        if not owners:
            who = printable(next((row.get(column, "") for column in students if row.get(column)), "nobody"))
            raise CourseError(
                f"The table of times {path} names {who!r} in line {line}, who is not exactly one student."
            )
        time = _time(path, line, said)
        for student in owners:
            if student in found and found[student] != time:
                raise CourseError(f"The table of times {path} gives {student} a second time in line {line}.")
            found[student] = time
    return found


def _students(row: Mapping[str, str], columns: list[str], roster: Roster | None, labels: Labels) -> tuple[str, ...]:
    for said in filter(None, (row.get(column, "") for column in columns)):
        if owners := labels.of(said):
            return owners
        if roster is None:
            return (said,)
        members = roster.meant(said)
        if len(members) == 1:
            return (next(iter(members)).id,)
    return ()


def _time(path: Path, line: int, said: str) -> HandedIn:
    time = parse_time(re.sub(r"\s+([+-]\d\d:?\d\d)$", r"\1", said))
    if time.problem:
        raise CourseError(f"In line {line} of the table of times {path}, {time.problem}.")
    return time
