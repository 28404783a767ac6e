"""Read and write ``deadlines.csv``, the instructor's file of due dates and extensions in the class's folder.

A row without a student gives a lesson's due date for the class. A row with a student gives that student's extra days.
If the file has no row, the gradebook and the roster decide.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from autograder.class_folder.spreadsheet import harmless
from autograder.class_folder.writing import write_whole
from autograder.submissions.submission_time import zone_called
from course_lib.checking.formatting import number
from course_lib.course import Course, CourseError

_MOST_DAYS = 1000
_COLUMNS = ("lesson", "student", "due", "extra_days")


@dataclass(frozen=True)
class DeadlinesFile:
    """The contents of the file.

    Attributes:
        path: the file's path, even if it does not exist.
        due: the due dates for the class, in UTC without a zone, as nbgrader stores them.
        extra: the extra days, by lesson and student.
    """

    path: Path
    due: Mapping[str, datetime] = field(default_factory=dict)
    extra: Mapping[tuple[str, str], float] = field(default_factory=dict)

    def extra_time(self, lesson: str, student: str) -> timedelta:
        """Return a student's extra time for a lesson."""
        return timedelta(days=self.extra.get((lesson, student), 0.0))

    def with_due(self, lesson: str, date: datetime | None) -> DeadlinesFile:
        """Return a copy with a new due date for a lesson, or without one."""
        kept = {name: when for name, when in self.due.items() if name != lesson}
        return replace(self, due=kept | ({lesson: date} if date else {}))

    def with_extra(self, lesson: str, student: str, days: float) -> DeadlinesFile:
        """Return a copy with a new extension for a student. Days of 0 remove the extension."""
        kept = {key: value for key, value in self.extra.items() if key != (lesson, student)}
        return replace(self, extra=kept | ({(lesson, student): days} if days else {}))

    def write(self) -> None:
        """Write the file.

        Raises:
            CourseError: the file cannot be written.
        """
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(_COLUMNS)
        writer.writerows((lesson, "", f"{when:%Y-%m-%d %H:%M:%S} UTC", "") for lesson, when in sorted(self.due.items()))
        for (lesson, student), days in sorted(self.extra.items()):
            writer.writerow((lesson, harmless(student), "", number(days)))
        write_whole(self.path, out.getvalue())


def read_deadlines(course: Course, folder: Path) -> DeadlinesFile:
    """Read the deadlines of a class.

    Args:
        folder: the class's folder.

    Raises:
        CourseError: the file cannot be read, or a row is wrong.
    """
    path = folder / "deadlines.csv"
    if not path.is_file():
        return DeadlinesFile(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
        rows = list(csv.DictReader(io.StringIO(text), delimiter=max(",;\t", key=text.partition("\n")[0].count)))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise CourseError(f"{path} cannot be read: {error}. Save it as CSV in UTF-8.") from None
    due: dict[str, datetime] = {}
    extra: dict[tuple[str, str], float] = {}
    for line, row in enumerate(rows, start=2):
        said = {
            (name or "").strip(): (value or "").strip() for name, value in row.items() if not isinstance(value, list)
        }
        if not any(said.values()):
            continue
        lesson, student = said.get("lesson", ""), said.get("student", "").removeprefix("'")
        try:
            lesson = course.lesson(lesson)
            if student:
                extra[lesson, student] = _days(said.get("extra_days", ""))
            else:
                due[lesson] = parse_due(said.get("due", ""), course.late.timezone)
        except (CourseError, ValueError) as error:
            raise CourseError(
                f"{path}, line {line}: {error} A row is either a lesson with its due date, or a lesson, a student and "
                f"extra_days. The columns are {', '.join(_COLUMNS)}."
            ) from None
    return DeadlinesFile(path, due, extra)


def _days(said: str) -> float:
    days = float(said.replace(",", ".") or 0)
    if not 0 <= days <= _MOST_DAYS:
        raise ValueError(f"{said} is not a number of days from 0 to {_MOST_DAYS}.")
    return days


def parse_due(text: str, timezone: str) -> datetime:
    """Parse a due date that a person wrote. Return it in UTC without a zone.

    Args:
        text: a date and time such as ``2026-12-01 23:59``, which a time zone may follow.
        timezone: the time zone to assume if the text has none.

    Raises:
        CourseError: the text is not a date with a time of day, or names an unknown zone.
    """
    wanted = "Write a due date as 2026-12-01 23:59, followed by a time zone if you like, as in 2026-12-01 23:59 UTC."
    date, _, zone = text.strip().partition(" ")
    clock, _, zone = zone.strip().partition(" ")
    if "T" in date and not clock:
        date, _, clock = date.partition("T")
    if not clock:
        raise CourseError(f"{text!r} has no time of day. {wanted}")
    try:
        when = datetime.fromisoformat(f"{date}T{clock}")
    except ValueError:
        raise CourseError(f"{text!r} is not a date with a time of day. {wanted}") from None
    if when.tzinfo is None:
        place = zone_called(zone or timezone)
        if place is None:
            raise CourseError(f"{text!r} names the time zone {zone or timezone!r}, which is not known. {wanted}")
        when = when.replace(tzinfo=place)
    return when.astimezone(UTC).replace(tzinfo=None)


def in_zone(when: datetime, timezone: str) -> str:
    """Format a UTC time as the local time in a zone, followed by the zone's name."""
    local = when.replace(tzinfo=UTC).astimezone(zone_called(timezone) or UTC)
    return f"{local:%Y-%m-%d %H:%M} {local.tzname()}"
