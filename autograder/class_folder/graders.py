"""Find out which user of the machine owns a file, because students may own files on it, too."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from course_lib.course import CourseError, course_here
from course_lib.owners import trusted_users


def is_trusted(user: int) -> bool:
    """Return whether a user is this one, root, the owner of the installed course, or a grader of the current course.

    Args:
        user: the user's number.
    """
    return user in trusted_users() or user in _graders(Path.cwd())


@lru_cache(maxsize=8)
def _graders(here: Path) -> frozenset[int]:
    try:
        course = course_here(here)
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
