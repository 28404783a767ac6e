"""A lesson's release, whoever asks for it: `course release`, or nbgrader's exchange."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from autograder.building.package import release_package
from autograder.records.archive import Archive
from autograder.records.deadlines import still_open
from course_lib.course import Course, CourseError


def hand_out(
    course: Course,
    lesson: str,
    target: Path,
    archive: Archive,
    gradebook: str,
    own_parts: bool = False,
    given: str = "",
) -> list[str]:
    """Write what students of a lesson receive, unless that gives away what others of the class still write.

    Args:
        target: see `release_package`.
        gradebook: the URL of the one that says when lessons are due.
        own_parts: withhold the components of earlier lessons that still accept work; students build on their own.
        given: further options of the command, as they were given.

    Returns:
        The earlier lessons whose components are withheld.

    Raises:
        CourseError: an earlier lesson still accepts work; or see `release_package`.
    """
    until = still_open(course, lesson, archive, gradebook)
    if until and not own_parts:
        raise CourseError(_refusal(lesson, until, given))
    release_package(course, lesson, target, list(until))
    return list(until)


def _refusal(lesson: str, until: Mapping[str, datetime], given: str) -> str:
    lessons = " and ".join(f"{name} (until {end:%Y-%m-%d %H:%M} UTC)" for name, end in until.items())
    return (
        f"Work is still accepted for {lessons}, and a release of {lesson} would give our components of it away: "
        f"release it after that, or on the students' own parts with course release {lesson} --own-parts{given}."
    )
