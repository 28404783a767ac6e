"""Until when lessons accept work: their due dates in the gradebook, and the longest extension that anybody has."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from autograder.collecting.roster import enrolled
from autograder.records.archive import Archive
from autograder.records.gradebook import Records
from autograder.records.gradebook_url import file_of
from course_lib.course import Course


def still_open(course: Course, lesson: str, archive: Archive, gradebook: str) -> dict[str, datetime]:
    """The lessons before one that still accept work from somebody, and until when, in UTC.

    A lesson without a due date accepts none.

    Args:
        gradebook: its URL.

    Raises:
        CourseError: the gradebook or the roster cannot be read.
    """
    file = file_of(gradebook)
    if file and not file.is_file():
        return {}
    members = enrolled(archive.roster, None)

    def longest(name: str) -> timedelta:
        return max((member.extra_time(name) for member in members), default=timedelta())

    with Records(gradebook) as records:
        until = {name: due + max(longest(name), extension) for name, due, extension in records.due()}
    now = datetime.now(UTC).replace(tzinfo=None)  # nbgrader keeps UTC without saying so
    return {name: until[name] for name in course.lessons if name < lesson and until.get(name, now) > now}
