"""Read the roster: the members of the class, and the names under which downloads may list them."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from autograder.class_folder.writing import write_whole
from autograder.collecting.name_index import NameIndex
from autograder.collecting.names import comparable, readable
from autograder.collecting.roster_formats import Row, format_of, participant_number, rows_of
from autograder.collecting.tables import delimiter_of, lines_before_header, read_table, table_in, text_of
from autograder.submissions.submission import submission_in
from course_lib.checking.formatting import printable
from course_lib.contents import public_lessons
from course_lib.course import CourseError

#: the columns of a roster, by nbgrader's own names. Only the first is required
COLUMNS = ("id", "first_name", "last_name", "email", "lms_user_id")
#: the column, unknown to nbgrader, of the days by which a student's due dates are extended. It applies to every lesson.
#: A column with a suffix, such as ``extra_days_03``, applies to the lesson of that number or name
EXTRA_DAYS = "extra_days"
#: the maximum number of extra days
_MOST_DAYS = 1000.0


@dataclass(frozen=True)
class Member:
    """A student of the class, with the fields that nbgrader's gradebook has, and more.

    Attributes:
        id: the student's id in records, folders and the gradebook.
        lms_user_id: the student's number in the learning management system.
        extra_days: the student's extra days for every lesson.
        extra_days_of: the student's extra days for single lessons, by name.
        also: other ids that a learning management system may use for the student.
        group: the student's group in Canvas.
        id_number: the student's ID number in Moodle.
        username: the student's user name in Moodle: empty if the roster does not have it, None if it is the id.
    """

    id: str
    first_name: str = ""
    last_name: str = ""
    email: str = ""
    lms_user_id: str = ""
    extra_days: float = 0.0
    extra_days_of: tuple[tuple[str, float], ...] = ()
    also: tuple[str, ...] = ()
    group: str = ""
    id_number: str = ""
    username: str | None = field(default=None, compare=False)

    def extra_time(self, lesson: str) -> timedelta:
        """Return the student's extra time for a lesson: the longer of the times for every lesson and for this one."""
        return timedelta(days=max(self.extra_days, *(days for name, days in self.extra_days_of if name == lesson), 0.0))

    @property
    def name(self) -> str:
        """Return the first and last name, or whichever is known."""
        return " ".join(filter(None, (self.first_name, self.last_name)))

    @property
    def full_names(self) -> set[str]:
        """Return the first and last name in both orders."""
        first, last = self.first_name, self.last_name
        return {first + last, last + first} if first and last else {first + last} - {""}

    @property
    def names(self) -> set[str]:
        """Return every name under which a download may list the student."""
        return {self.id, self.email, self.email.partition("@")[0], *self.also, *self.full_names} - {""}


def member_of(columns: Iterable[str]) -> Member:
    """Make a student from the values of nbgrader's columns, in the order of `COLUMNS`. Make names readable."""
    id_, *others = columns
    return Member(**dict(zip(COLUMNS, (id_, *map(readable, others)), strict=True)))  # type: ignore[arg-type]  # mypy also considers the days


class Roster:
    """The members of a class, with lookups by each kind of name that downloads use.

    Args:
        members: the students, in the order of the roster.
        read_as: the meaning of the columns, in words, or empty for a roster in the course's own format.
    """

    def __init__(self, members: Iterable[Member], read_as: str = "") -> None:
        self.members = tuple(members)
        self.read_as = read_as
        self._called = NameIndex((name, member) for member in self.members for name in member.names)
        self._named = NameIndex(
            (name, member)
            for member in self.members
            # a student may choose a display name, so it is an id only if the roster knows no name
            for name in member.full_names or {member.id}
        )
        self._last = NameIndex((member.last_name, member) for member in self.members)
        self._by_number = {member.lms_user_id: member for member in self.members if member.lms_user_id}
        self._participants = {
            number: member
            for member in self.members
            for id_ in (member.id, *member.also)
            if (number := participant_number(id_))
        }
        for member in self.members:
            if member.id.isdigit() and not member.lms_user_id:
                self._by_number.setdefault(member.id, member)

    def called(self, name: str) -> set[Member]:
        """Return the students with this id, address or name: more than one if it is ambiguous."""
        return self._called.find(name)

    def named(self, name: str) -> set[Member]:
        """Return the students with this first and last name. An id matches only a student whose name is unknown."""
        return self._named.find(name)

    def numbered(self, number: str) -> set[Member]:
        """Return the student with this number in the learning management system."""
        return {self._by_number[number]} if number in self._by_number else set()

    def partly(self, name: str) -> set[Member]:
        """Return the students with this last name, which is only enough for a suggestion."""
        return self._last.find(name)

    def participants(self, number: str) -> set[Member]:
        """Return the participant with this number, if the roster is the worksheet of a Moodle assignment."""
        return {self._participants[number]} if number in self._participants else set()

    @property
    def canvas_numbers(self) -> dict[str, str]:
        """The ids of the students by Canvas's numbers."""
        return {number: member.id for number, member in self._by_number.items()}

    @property
    def participant_numbers(self) -> dict[str, str]:
        """The ids of the students by their participant numbers in one Moodle assignment."""
        return {number: member.id for number, member in self._participants.items()}

    def grouped_with(self, number: str, group: str) -> set[Member]:
        """Return the members of a Canvas group, but only if the student with this number is one of them."""
        theirs = {member for member in self.members if member.group and comparable(member.group) == comparable(group)}
        return theirs if theirs & self.numbered(number) else set()

    def meant(self, said: str) -> set[Member]:
        """Return the students whom an instructor may mean by an id, a name, an address or an LMS number."""
        exactly = {member for member in self.members if member.id == said}
        return exactly or self.called(said) or self.numbered(said)


def read_roster(path: Path) -> Roster:
    """Read a roster from a CSV table whose columns are the course's own or those of an export.

    Raises:
        CourseError: the roster cannot be read, has no column for an id, or gives extra days for an unknown lesson; or a
            student is in it twice, has an id that is not a valid folder name, or has extra days that are not a number.
    """
    table = read_table(path, "roster")
    form = format_of(table)
    if form is None:
        raise CourseError(
            f"The roster {path} has no column id. Its first line names the columns: {','.join(COLUMNS)},{EXTRA_DAYS}; "
            "all but id are optional. Exports of Canvas's gradebook and Moodle's participants can be used as they are."
        )
    lessons = _lessons_with_extra_days(path, table.columns)
    rows, skipped = rows_of(table, form)
    members = [_member(path, row, lessons) for row in rows]
    # each student needs a folder, even on a file system that ignores case
    _only_once(path, [member.id.casefold() for member in members], "student")
    _only_once(path, [member.lms_user_id for member in members if member.lms_user_id], "lms_user_id")
    own = all(name in (*COLUMNS, EXTRA_DAYS) or name.startswith(EXTRA_DAYS) for name in table.columns)
    left = f"; rows left out: {'; '.join(map(printable, skipped))}" if skipped else ""
    return Roster(members, "" if own else printable(f"{form.in_words()}{left}"))


def roster_or(usual: Path, named: Path | None) -> Roster | None:
    """Read the given roster, or else the class's own if there is one.

    Raises:
        CourseError: the roster cannot be read.
    """
    return read_roster(named) if named else read_roster(usual) if usual.is_file() else None


def enrolled(usual: Path, named: Path | None, otherwise: Callable[[], Sequence[Member]] = tuple) -> Sequence[Member]:
    """Return the members of the class, from the given roster, the class's own, or another source.

    Raises:
        CourseError: the roster cannot be read.
    """
    roster = roster_or(usual, named)
    return roster.members if roster else otherwise()


def keep_roster(usual: Path, named: Path) -> str:
    """Make a roster the class's own if it has none. Return a sentence about it, or an empty string.

    Raises:
        CourseError: the roster cannot be read or written.
    """
    text = text_of(named, "roster")
    if not usual.is_file():
        write_whole(usual, text)
        return f"The roster was saved as {usual}, where grading, the report and grades read it."
    if text_of(usual, "roster") == text:
        return ""
    return (
        f"The class's roster {usual} is different and was not changed: extra days, the report and grades use that one. "
        f"To use {named} instead, copy it there."
    )


def without_member(text: str, student: str) -> str:
    """Remove a student's row from a roster's text. Keep every other line exactly as it is."""
    table = table_in(text)
    form = format_of(table)
    theirs = {row.line for row in (rows_of(table, form)[0] if form else ()) if row.id == student}
    skipped = lines_before_header(text)
    lines = list(io.StringIO(text, newline=""))  # a name may contain other line separators
    rows, kept, start = csv.reader(lines[skipped:], delimiter=delimiter_of(text)), lines[:skipped], skipped
    for _ in rows:
        end = rows.line_num + skipped
        if start + 1 not in theirs:
            kept += lines[start:end]
        start = end
    return "".join(kept)


def _lessons_with_extra_days(path: Path, columns: Sequence[str]) -> dict[str, str]:
    """Return the lessons for which a roster gives extra days, by the name of the column."""
    lessons = {name: entry.name for entry in public_lessons() for name in (entry.number, entry.name)}
    found = {column: column.removeprefix(f"{EXTRA_DAYS}_") for column in columns if column.startswith(f"{EXTRA_DAYS}_")}
    for column, name in found.items():
        if name not in lessons:
            raise CourseError(f"The roster {path} has a column {column}, but no lesson is called {name!r}.")
    return {column: lessons[name] for column, name in found.items()}


def _member(path: Path, row: Row, lessons: Mapping[str, str]) -> Member:
    member = Member(
        row.id,
        row.first_name,
        row.last_name,
        row.email,
        row.lms_user_id,
        extra_days=_days(path, row.line, row.values, EXTRA_DAYS),
        extra_days_of=tuple((lesson, _days(path, row.line, row.values, column)) for column, lesson in lessons.items()),
        also=row.also,
        group=row.group,
        id_number=row.id_number,
        username=row.username,
    )
    if not member.id or "/" in member.id or member.id.startswith(".") or submission_in(member.id, path).problem:
        raise CourseError(
            f"The roster {path} has an id on line {row.line} that is not a valid folder name: {member.id!r}."
        )
    return member


def _days(path: Path, line: int, row: Mapping[str, str], column: str) -> float:
    text = row.get(column, "")
    try:
        days = float(text.replace(",", ".") or 0)
        if 0 <= days <= _MOST_DAYS:
            return days
    except ValueError:
        pass
    raise CourseError(
        f"The roster {path} has {column} on line {line} that is not a number of days from 0 to "
        f"{_MOST_DAYS:g}: {text!r}."
    )


def _only_once(path: Path, names: Sequence[str], what: str) -> None:
    repeated = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if repeated:
        raise CourseError(f"The roster {path} lists this {what} more than once: {', '.join(repeated)}.")
