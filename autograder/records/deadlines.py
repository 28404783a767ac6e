"""Until when lessons accept work: their due dates and the longest extension that anybody has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from autograder.collecting.roster import enrolled
from autograder.records.archive import Archive
from autograder.records.deadlines_file import DeadlinesFile, in_zone, read_deadlines
from autograder.records.gradebook import Records
from autograder.records.gradebook_url import file_of, without_password
from course_lib.checking.formatting import number
from course_lib.course import Course, CourseError, find_course


@dataclass(frozen=True)
class Due:
    """When one lesson is due.

    Attributes:
        date: for the class, in UTC without a zone, as nbgrader has it.
        granted: how much longer students have by the roster and by the class's file.
        by_gradebook: and how much longer by the gradebook.
        compared: whether there is a roster or a file that the gradebook can be compared with.
    """

    lesson: str
    date: datetime
    granted: Mapping[str, timedelta]
    by_gradebook: Mapping[str, timedelta]
    compared: bool = True

    @property
    def end(self) -> datetime:
        """Until when the lesson accepts work from somebody."""
        return self.date + max([*self.granted.values(), *self.by_gradebook.values()], default=timedelta())

    @property
    def longer(self) -> dict[str, tuple[timedelta, timedelta]]:
        """Who has longer by the gradebook than granted: the one and the other.

        Days that were taken off the roster or the file stay in the gradebook: nobody but a person knows which was
        meant.
        """
        return {
            student: (extension, self.granted.get(student, timedelta()))
            for student, extension in sorted(self.by_gradebook.items())
            if self.compared and extension > self.granted.get(student, timedelta())
        }

    @property
    def longer_in_words(self) -> str:
        """Who that is and what can be done about it; empty if there is nobody."""
        found = [f"{student} {_days(most)} days, not {_days(less)}" for student, (most, less) in self.longer.items()]
        if not found:
            return ""
        more = f" and {len(found) - 10} more" if len(found) > 10 else ""
        return (
            f"Longer for {self.lesson} by the gradebook than by the roster and deadlines.csv: {', '.join(found[:10])}"
            f"{more}. The longer holds. To take it back: course deadlines {self.lesson} --as-granted. To keep it: "
            f"course deadlines {self.lesson} --student ID --extra-days N."
        )


@dataclass(frozen=True)
class Deadlines:
    """Of some lessons.

    Attributes:
        until: those that still accept work from somebody, and until when, in UTC.
        unknown: those without a due date, which count as closed.
        longer: sentences on extensions that hold a lesson open and are longer than granted.
    """

    until: Mapping[str, datetime]
    unknown: Sequence[str] = ()
    longer: Sequence[str] = ()

    @property
    def in_words(self) -> str:
        """The lessons that still accept work, and until when."""
        return " and ".join(f"{name} (until {in_zone(end, 'UTC')})" for name, end in self.until.items())


def earlier_deadlines(course: Course, lesson: str, archive: Archive, gradebook: str, named: bool = False) -> Deadlines:
    """Those of the lessons before one.

    Args:
        gradebook: its URL.
        named: whether somebody has named it: then it must be there.

    Raises:
        CourseError: the gradebook or the roster cannot be read, or there is none that was named.
    """
    earlier = [name for name in course.lessons if name < lesson]
    file = file_of(gradebook)
    if file and not file.is_file() and not read_deadlines(course, archive).due:
        if named and earlier:
            raise CourseError(
                f"There is no gradebook {without_password(gradebook)}, so nobody knows whether earlier lessons still "
                "accept work: check --class and --gradebook."
            )
        return Deadlines({}, earlier)
    with Records(gradebook) as records:
        return deadlines_of(earlier, records, archive, read_deadlines(course, archive))


def deadlines_of(
    lessons: Sequence[str], records: Records, archive: Archive, written: DeadlinesFile | None = None
) -> Deadlines:
    """Those of lessons, by a gradebook that is open.

    Args:
        written: the class's file of deadlines; None to read it.

    Raises:
        CourseError: the gradebook, the roster or the file cannot be read.
    """
    due = due_of(lessons, records, archive, written or read_deadlines(find_course(), archive))
    now = datetime.now(UTC).replace(tzinfo=None)  # nbgrader keeps UTC without saying so
    open_still = {name: one for name, one in due.items() if one.end > now}
    return Deadlines(
        {name: one.end for name, one in open_still.items()},
        [name for name in lessons if name not in due],
        [one.longer_in_words for one in open_still.values() if one.longer],
    )


def due_of(lessons: Sequence[str], records: Records, archive: Archive, written: DeadlinesFile) -> dict[str, Due]:
    """When lessons are due, by name: those that have a due date in the class's file or in the gradebook.

    Raises:
        CourseError: the gradebook or the roster cannot be read.
    """
    members = enrolled(archive.roster, None)
    by_gradebook = {name: (date, extensions) for name, date, extensions in records.due()}
    found = {}
    for lesson in sorted(lessons):
        date, extensions = by_gradebook.get(lesson, (None, {}))
        date = written.due.get(lesson, date)
        if date:
            granted = {member.id: member.extra_time(lesson) for member in members}
            for of, student in written.extra:
                if of == lesson:
                    granted[student] = max(granted.get(student, timedelta()), written.extra_time(lesson, student))
            granted = {student: time for student, time in granted.items() if time}
            found[lesson] = Due(lesson, date, granted, extensions, compared=bool(members or written.extra))
    return found


def _days(time: timedelta) -> str:
    return number(round(time / timedelta(days=1), 3))
