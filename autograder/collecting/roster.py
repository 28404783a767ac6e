"""The roster: who is in the class, and by which names a download may call them."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from autograder.grading.submissions import submission_in
from autograder.records.archive import write_whole
from course_lib.contents import public_lessons
from course_lib.course import CourseError

#: what a roster may say of a student: nbgrader's own names of the columns; the first is needed
COLUMNS = ("id", "first_name", "last_name", "email", "lms_user_id")
#: and what nbgrader has no column for: how many days longer than the class this student has, for every lesson; with a
#: lesson's number or name behind it, as ``extra_days_03``, for that one
EXTRA_DAYS = "extra_days"
#: the most that may stand there
_MOST_DAYS = 1000.0


@dataclass(frozen=True)
class Member:
    """A student of the class, as nbgrader's gradebook describes one.

    Attributes:
        id: what records, folders and the gradebook call the student.
        lms_user_id: the number that a learning management system has for the student.
        extra_days: how many days longer than the class the student has, for every lesson.
        extra_days_of: and for single lessons, by their names.
    """

    id: str
    first_name: str = ""
    last_name: str = ""
    email: str = ""
    lms_user_id: str = ""
    extra_days: float = 0.0
    extra_days_of: tuple[tuple[str, float], ...] = ()

    def extra_time(self, lesson: str) -> timedelta:
        """How much longer than the class the student has for a lesson: the longer of what holds for all and for it."""
        return timedelta(days=max(self.extra_days, *(days for name, days in self.extra_days_of if name == lesson), 0.0))

    @property
    def name(self) -> str:
        """The first and the last name, as far as they are known."""
        return " ".join(filter(None, (self.first_name, self.last_name)))

    @property
    def names(self) -> set[str]:
        """What the student may be called, made comparable."""
        said = (self.id, self.email, self.email.partition("@")[0], *_both_ways(self.first_name, self.last_name))
        return {comparable(name) for name in said} - {""}


def _both_ways(first: str, last: str) -> Iterator[str]:
    if first and last:
        yield first + last
        yield last + first


def member_of(columns: Iterable[str]) -> Member:
    """A student by what stands in the columns that nbgrader has, too, in the order of `COLUMNS`."""
    return Member(**dict(zip(COLUMNS, columns, strict=True)))  # type: ignore[arg-type]  # mypy sees the days, too


def comparable(name: str) -> str:
    """A name without case, accents, spaces and signs: *Núñez, José* becomes *nunezjose*."""
    letters = unicodedata.normalize("NFKD", name).casefold()
    return "".join(c for c in letters if c.isalnum())


class Roster:
    """The members of a class, found by whatever a download calls them.

    Args:
        members: in the order of the roster.
    """

    def __init__(self, members: Iterable[Member]) -> None:
        self.members = tuple(members)
        self._by_name: dict[str, set[Member]] = {}
        for member in self.members:
            for name in member.names:
                self._by_name.setdefault(name, set()).add(member)
        self._by_number = {member.lms_user_id: member for member in self.members if member.lms_user_id}

    def called(self, name: str) -> set[Member]:
        """Who is called so; more than one where it is not clear."""
        return self._by_name.get(comparable(name), set())

    def numbered(self, number: str) -> set[Member]:
        """Who has that number in the learning management system."""
        return {self._by_number[number]} if number in self._by_number else set()


def read_roster(path: Path) -> Roster:
    """A roster from a table: CSV with a line of column names; commas, semicolons or tabs between them.

    Raises:
        CourseError: it cannot be read, has no column ``id`` or extra days for no lesson, or has a student twice, with
            an id that no folder can have, or with days that are no number.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise CourseError(f"There is no roster {path}.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError(f"The roster {path} cannot be read: {error}. Save it as CSV in UTF-8.") from None
    try:
        table = csv.DictReader(io.StringIO(text), delimiter=_delimiter(text))
        rows = list(table)
    except csv.Error as error:
        raise CourseError(f"The roster {path} cannot be read: {error}. Save it as CSV in UTF-8.") from None
    columns = [name.strip() for name in table.fieldnames or ()]
    if "id" not in columns:
        raise CourseError(
            f"The roster {path} has no column id. Its first line names the columns: {','.join(COLUMNS)},{EXTRA_DAYS}; "
            "all but id may be missing."
        )
    lessons = _lessons_with_extra_days(path, columns)
    members = [_member(path, line, row, lessons) for line, row in enumerate(rows, start=2)]
    _only_once(path, [member.id.casefold() for member in members], "student")  # a folder each, on any system
    _only_once(path, [member.lms_user_id for member in members if member.lms_user_id], "lms_user_id")
    return Roster(members)


def roster_or(usual: Path, named: Path | None) -> Roster | None:
    """The roster that is named, else the class's own, where it has one.

    Raises:
        CourseError: it cannot be read.
    """
    return read_roster(named) if named else read_roster(usual) if usual.is_file() else None


def enrolled(usual: Path, named: Path | None, otherwise: Callable[[], Sequence[Member]] = tuple) -> Sequence[Member]:
    """Who is in the class: by the roster that is named or the class's own, else by what else is known.

    Raises:
        CourseError: the roster cannot be read.
    """
    roster = roster_or(usual, named)
    return roster.members if roster else otherwise()


def keep_roster(usual: Path, named: Path) -> str:
    """Make a roster the class's own, if that has none; what is to be said of it, in a sentence or none.

    Raises:
        CourseError: it cannot be written.
    """
    text = named.read_bytes().decode("utf-8-sig")
    if not usual.is_file():
        write_whole(usual, text)
        return f"The roster is kept as {usual}: grading, the report and grades read it there."
    if usual.read_bytes().decode("utf-8-sig") == text:
        return ""
    return (
        f"The class's roster {usual} is another one and stays as it is: extra days, the report and grades follow from "
        f"that. If {named} is to hold instead, copy it there."
    )


def without_member(text: str, student: str) -> str:
    """A roster's text without a student's row; every other line stays as it is written."""
    lines = list(io.StringIO(text, newline=""))  # ended as rows are, not by what else may stand in a name
    rows, kept, start = csv.reader(lines, delimiter=_delimiter(text)), [], 0
    column = -1
    for row in rows:
        if column < 0:
            column = [name.strip().removeprefix("\ufeff") for name in row].index("id")
        if not (len(row) > column and row[column].strip() == student):
            kept += lines[start : rows.line_num]
        start = rows.line_num
    return "".join(kept)


def _delimiter(text: str) -> str:
    """What stands between a table's columns, by its line of column names."""
    return max(",;\t", key=text.partition("\n")[0].count)


def _lessons_with_extra_days(path: Path, columns: Sequence[str]) -> dict[str, str]:
    """The lessons for which a roster gives extra days, by the name of the column."""
    lessons = {name: entry.name for entry in public_lessons() for name in (entry.number, entry.name)}
    found = {column: column.removeprefix(f"{EXTRA_DAYS}_") for column in columns if column.startswith(f"{EXTRA_DAYS}_")}
    for column, name in found.items():
        if name not in lessons:
            raise CourseError(f"The roster {path} has a column {column}, but no lesson is called {name!r}.")
    return {column: lessons[name] for column, name in found.items()}


def _member(path: Path, line: int, row: dict[str, str], lessons: Mapping[str, str]) -> Member:
    said = {(name or "").strip(): value.strip() for name, value in row.items() if isinstance(value, str)}
    member = replace(
        member_of(said.get(name, "") for name in COLUMNS),
        extra_days=_days(path, line, said, EXTRA_DAYS),
        extra_days_of=tuple((lesson, _days(path, line, said, column)) for column, lesson in lessons.items()),
    )
    if not member.id or "/" in member.id or member.id.startswith(".") or submission_in(member.id, path).problem:
        raise CourseError(f"The roster {path} has an id in line {line} that no folder can have: {member.id!r}.")
    return member


def _days(path: Path, line: int, row: dict[str, str], column: str) -> float:
    said = row.get(column, "")
    try:
        days = float(said.replace(",", ".") or 0)
        if 0 <= days <= _MOST_DAYS:
            return days
    except ValueError:
        pass
    raise CourseError(
        f"The roster {path} has {column} in line {line} that are no number of days from 0 to {_MOST_DAYS:g}: {said!r}."
    )


def _only_once(path: Path, names: Sequence[str], what: str) -> None:
    twice = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if twice:
        raise CourseError(f"The roster {path} has this {what} more than once: {', '.join(twice)}.")
