"""Until when lessons accept work: their due dates in the gradebook, and the longest extension that anybody has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from autograder.collecting.roster import Member, enrolled
from autograder.records.archive import Archive
from autograder.records.gradebook import Records
from autograder.records.gradebook_url import file_of, without_password
from course_lib.checking.formatting import number
from course_lib.course import Course, CourseError


@dataclass(frozen=True)
class Deadlines:
    """Of some lessons.

    Attributes:
        until: those that still accept work from somebody, and until when, in UTC.
        unknown: those without a due date, which count as closed.
        longer: sentences on extensions that hold a lesson open and are longer than the roster has them.
    """

    until: Mapping[str, datetime]
    unknown: Sequence[str] = ()
    longer: Sequence[str] = ()

    @property
    def in_words(self) -> str:
        """The lessons that still accept work, and until when."""
        return " and ".join(f"{name} (until {end:%Y-%m-%d %H:%M} UTC)" for name, end in self.until.items())


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
    if file and not file.is_file():
        if named and earlier:
            raise CourseError(
                f"There is no gradebook {without_password(gradebook)}, so nobody knows whether earlier lessons still "
                "accept work: check --class and --gradebook."
            )
        return Deadlines({}, earlier)
    with Records(gradebook) as records:
        return deadlines_of(earlier, records, archive)


def deadlines_of(lessons: Sequence[str], records: Records, archive: Archive) -> Deadlines:
    """Those of lessons, by a gradebook that is open.

    Raises:
        CourseError: the gradebook or the roster cannot be read.
    """
    members = enrolled(archive.roster, None)
    due = {name: (end, extensions) for name, end, extensions in records.due() if name in lessons}
    now = datetime.now(UTC).replace(tzinfo=None)  # nbgrader keeps UTC without saying so
    until = {}
    for name in sorted(due):
        end, extensions = due[name]
        longest = max([*(member.extra_time(name) for member in members), *extensions.values()], default=timedelta())
        if end + longest > now:
            until[name] = end + longest
    longer = (longer_than_the_roster(name, due[name][1], members) for name in until)
    return Deadlines(until, [name for name in lessons if name not in due], list(filter(None, longer)))


def longer_than_the_roster(lesson: str, extensions: Mapping[str, timedelta], members: Iterable[Member]) -> str:
    """Who has longer for a lesson by the gradebook than the days that the roster has for them, in a sentence or none.

    A roster only ever lengthens: which of the two was meant, nobody but a person knows. Of whom the roster says nothing
    there is nothing to tell, as an extension granted by hand stands in the gradebook alone.
    """
    rostered = {member.id: member.extra_time(lesson) for member in members}
    found = [
        f"{student} {_days(extension)} days, not {_days(rostered[student])}"
        for student, extension in sorted(extensions.items())
        if timedelta() < rostered.get(student, timedelta()) < extension
    ]
    more = f" and {len(found) - 10} more" if len(found) > 10 else ""
    if not found:
        return ""
    return (
        f"Longer for {lesson} by the gradebook than by the roster: {', '.join(found[:10])}{more}. The longer holds; "
        f'to change it, nbgrader has Gradebook.grant_extension("{lesson}", STUDENT, days=DAYS).'
    )


def _days(time: timedelta) -> str:
    return number(time / timedelta(days=1))
