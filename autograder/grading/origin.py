"""What a grade follows from: the course as it is, and the file that was handed in. Told without loading PyTorch."""

from __future__ import annotations

import hashlib
from pathlib import Path

from autograder.grading.secret import course_secret
from autograder.sources_digest import grader_digest, sources_digest
from course_lib.course import Course, CourseError
from course_lib.running.limits import Limits
from course_lib.version import __version__


def origin(course: Course, lesson: str, class_folder: Path, unsandboxed: bool = False) -> bytes:
    """A digest of all that grades of a lesson follow from, besides the submission.

    Args:
        class_folder: holds the course's secret.
        unsandboxed: whether submissions run with one's own rights.

    Raises:
        CourseError: the lesson is not built, or the secret cannot be read or written.
    """
    path, home = course.student_notebook(lesson), course.home(lesson)
    if not path.is_file():
        raise CourseError(f"{lesson} is not built. Run: course build")
    try:
        secret, limits = course_secret(class_folder), Limits.of(course)
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
    """Another one wherever the grade of a submission could be another: of the course, and of the file."""
    return f"{origin.hex()}-{hashlib.sha256(submitted).hexdigest()}"


def _digest(*parts: bytes) -> bytes:
    """Of several strings of bytes; where one ends and the next begins counts."""
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).digest()
