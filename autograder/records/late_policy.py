"""Read the late policy of a class."""

from __future__ import annotations

from autograder.collecting.roster import enrolled
from autograder.gradebook.deadlines_file import read_deadlines
from autograder.gradebook.lateness import Lateness
from autograder.records.archive import Archive
from course_lib.course import Course


def lateness_of(course: Course, archive: Archive) -> Lateness:
    """Return the late policy of a course, with the deadlines of a class.

    Raises:
        CourseError: the roster or the class's file of deadlines cannot be read.
    """
    return Lateness(course.root, enrolled(archive.roster, None), read_deadlines(course, archive.folder))
