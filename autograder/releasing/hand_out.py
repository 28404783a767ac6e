"""Release a lesson for `course release` or nbgrader's exchange."""

from __future__ import annotations

from pathlib import Path

from autograder.building.package import release_package
from autograder.records.archive import Archive
from autograder.records.deadlines import Deadlines, earlier_deadlines
from course_lib.course import Course, CourseError


def hand_out(
    course: Course,
    lesson: str,
    target: Path,
    archive: Archive,
    own_parts: bool = False,
) -> Deadlines:
    """Write what students of a lesson receive, unless it gives away answers that others in the class still work on.

    Args:
        target: see `release_package`.
        archive: the class whose gradebook contains the due dates of lessons.
        own_parts: whether to withhold the components of earlier lessons that still accept work, so that students build
            on their own.

    Returns:
        The deadlines of earlier lessons. The components of those that still accept work are withheld.

    Raises:
        CourseError: an earlier lesson still accepts work, the named gradebook does not exist, or one of the reasons of
            `release_package`.
    """
    earlier = earlier_deadlines(course, lesson, archive)
    if earlier.until and not own_parts:
        raise CourseError(_refusal(lesson, earlier, archive))
    release_package(course, lesson, target, list(earlier.until))
    return earlier


def _refusal(lesson: str, earlier: Deadlines, archive: Archive) -> str:
    command = archive.options.command(f"release {lesson} --own-parts")
    said = (
        f"Work is still accepted for {earlier.in_words}, and a release of {lesson} would give our components of it "
        f"away: release it after that, or on the students' own parts with {command}."
    )
    return " ".join([said, *earlier.longer])
