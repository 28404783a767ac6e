"""Work out until when lessons accept work, from their due dates and the longest extension of any student."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from autograder.class_folder.gradebook_url import file_of, without_password
from autograder.class_folder.next_command import COURSES_OWN, ClassOptions
from autograder.collecting.roster import enrolled
from autograder.first_few import first_few
from autograder.gradebook.deadlines_file import DeadlinesFile, in_zone, read_deadlines
from autograder.gradebook.gradebook import Records
from autograder.gradebook.lesson_grades import LessonGrades
from autograder.records.archive import Archive
from course_lib.checking.formatting import number
from course_lib.course import Course, CourseError, find_course


@dataclass(frozen=True)
class Due:
    """The deadlines of one lesson.

    Attributes:
        lesson: the lesson's name.
        date: the due date for the class, in UTC without a zone, as nbgrader stores it.
        granted: the students' extensions according to the roster and ``deadlines.csv``.
        by_gradebook: the students' extensions according to the gradebook.
        compared: whether there is a roster or a file with which the gradebook can be compared.
        options: the options that selected the class.
    """

    lesson: str
    date: datetime
    granted: Mapping[str, timedelta]
    by_gradebook: Mapping[str, timedelta]
    compared: bool = True
    options: ClassOptions = COURSES_OWN

    @property
    def end(self) -> datetime:
        """Return the end of the longest extension."""
        return self.date + max([*self.granted.values(), *self.by_gradebook.values()], default=timedelta())

    @property
    def longer(self) -> dict[str, tuple[timedelta, timedelta]]:
        """Return the extensions that are longer in the gradebook than granted, each with the granted one, by student.

        An extension that was removed from the roster or the file stays in the gradebook, because only the instructor
        knows which one is right.
        """
        return {
            student: (extension, self.granted.get(student, timedelta()))
            for student, extension in sorted(self.by_gradebook.items())
            if self.compared and extension > self.granted.get(student, timedelta())
        }

    @property
    def longer_in_words(self) -> str:
        """Describe these extensions and what can be done about them. Return an empty string if there are none."""
        found = [f"{student} {_days(most)} days, not {_days(less)}" for student, (most, less) in self.longer.items()]
        if not found:
            return ""
        take_back = self.options.command(f"deadlines {self.lesson} --as-granted")
        keep = self.options.command(f"deadlines {self.lesson} --student ID --extra-days N")
        return (
            f"Longer for {self.lesson} by the gradebook than by the roster and deadlines.csv: {first_few(found)}. "
            f"The longer holds. To take it back: {take_back}. To keep it: {keep}."
        )


@dataclass(frozen=True)
class Deadlines:
    """The deadlines of several lessons.

    Attributes:
        until: the ends of the lessons that still accept work from somebody, in UTC.
        unknown: the lessons without a due date, which count as closed.
        longer: sentences about extensions of open lessons that are longer than granted.
        timezone: the time zone in which to name the ends.
    """

    until: Mapping[str, datetime]
    unknown: Sequence[str] = ()
    longer: Sequence[str] = ()
    timezone: str = "UTC"

    @property
    def in_words(self) -> str:
        """Name the lessons that still accept work, and until when."""
        return " and ".join(f"{name} (until {in_zone(end, self.timezone)})" for name, end in self.until.items())


def earlier_deadlines(course: Course, lesson: str, archive: Archive) -> Deadlines:
    """Return the deadlines of the lessons before one.

    Raises:
        CourseError: the gradebook or the roster cannot be read, or the gradebook of a class that the instructor
            selected does not exist.
    """
    earlier = [name for name in course.lessons if name < lesson]
    file = file_of(archive.gradebook)
    if file and not file.is_file() and not read_deadlines(course, archive.folder).due:
        if archive.options and earlier:
            raise CourseError(
                f"There is no gradebook {without_password(archive.gradebook)}, so nobody knows whether earlier lessons "
                "still accept work: check --class and --gradebook."
            )
        return Deadlines({}, earlier)
    with Records(archive.gradebook) as records:
        return deadlines_of(earlier, records, archive, read_deadlines(course, archive.folder))


def deadlines_of(
    lessons: Sequence[str], records: Records, archive: Archive, written: DeadlinesFile | None = None
) -> Deadlines:
    """Return the deadlines of lessons, using an open gradebook.

    Args:
        written: the contents of ``deadlines.csv``, or None to read the file.

    Raises:
        CourseError: the gradebook, the roster or the file cannot be read.
    """
    course = find_course()
    due = due_of(lessons, records, archive, written or read_deadlines(course, archive.folder))
    now = datetime.now(UTC).replace(tzinfo=None)  # nbgrader keeps UTC without saying so
    open_still = {name: one for name, one in due.items() if one.end > now}
    return Deadlines(
        {name: one.end for name, one in open_still.items()},
        [name for name in lessons if name not in due],
        [one.longer_in_words for one in open_still.values() if one.longer],
        course.late.timezone,
    )


def with_deadlines(book: LessonGrades, records: Records, archive: Archive) -> LessonGrades:
    """Add to grades which of the graded lessons still accept work.

    Raises:
        CourseError: the gradebook, the roster or ``deadlines.csv`` cannot be read.
    """
    graded = [name for name, grades in book.grades.items() if grades]
    found = deadlines_of(graded, records, archive)
    return replace(book, open_until=found.until, timezone=found.timezone)


def due_of(lessons: Sequence[str], records: Records, archive: Archive, written: DeadlinesFile) -> dict[str, Due]:
    """Return the due dates and extensions of all lessons that have a due date, by name.

    A due date in ``deadlines.csv`` takes precedence over one in the gradebook.

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
            compared = bool(members or written.extra)
            found[lesson] = Due(lesson, date, granted, extensions, compared, archive.options)
    return found


def _days(time: timedelta) -> str:
    return number(round(time / timedelta(days=1), 3))
