"""Find out which user of the machine owns a file, because students may own files on it, too."""

from __future__ import annotations

import os
from contextlib import suppress

from course_lib.course import CourseError, course_here
from course_lib.owners import trusted_users


def is_trusted(user: int) -> bool:
    """Return whether a user is this one, root, the owner of the installed course, or a grader of the current course.

    Args:
        user: the user's number.
    """
    return os.name != "posix" or user in trusted_users() or user in _graders()


def _graders() -> frozenset[int]:
    try:
        course = course_here()
    except CourseError:  # the command itself reports settings that are wrong
        return frozenset()
    return course.graders if course else frozenset()


def user_name(user: int) -> str:
    """Return the name of a user, or an empty string if the machine doesn't know the number."""
    if os.name == "posix":
        from pwd import getpwuid

        with suppress(KeyError):
            return getpwuid(user).pw_name
    return ""


def other_user(user: int) -> str:
    """Name a user, unless `is_trusted` says that files of that user come from a grader."""
    return "" if is_trusted(user) else user_name(user) or f"user number {user}"
