"""Compute digests of everything that determines a grade: the course and the submission. This needs no PyTorch."""

from __future__ import annotations

import hashlib
from pathlib import Path

from autograder.grading.secret import course_secret
from autograder.sources_digest import grader_digest, sources_digest
from course_lib.course import Course, CourseError
from course_lib.running.limits import Limits
from course_lib.version import __version__


def origin(course: Course, lesson: str, class_folder: Path, unsandboxed: bool = False) -> bytes:
    """Compute a digest of everything except the submission that determines the grades of a lesson.

    Args:
        class_folder: the folder with the class's secret.
        unsandboxed: whether submissions run with the grader's own permissions.

    Raises:
        CourseError: the lesson is not built, or the secret cannot be read or written, or belongs to another user.
    """
    path, home = course.student_notebook(lesson), course.home(lesson)
    if not path.is_file():
        raise CourseError(f"{lesson} is not built. Run: course build")
    try:
        secret, limits = course_secret(class_folder, course.graders), Limits.of(course)
    except OSError as error:
        raise CourseError(f"The secret of the class in {class_folder} cannot be used: {error.strerror}.") from None
    return _digest(
        path.read_bytes(),
        secret,
        repr((__version__, limits, unsandboxed, course.policy)).encode(),
        sources_digest(home if home != course.root else None),
        grader_digest(),
    )


def digest(origin: bytes, submitted: bytes) -> str:
    """Return a digest of the course and the file. It changes whenever the grade of the submission might."""
    return f"{origin.hex()}-{hashlib.sha256(submitted).hexdigest()}"


def _digest(*parts: bytes) -> bytes:
    """Compute a digest of several byte strings that also depends on their boundaries."""
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).digest()
