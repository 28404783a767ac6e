"""nbgrader's exchange, and its own button for releasing, hand out what `course release` does."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from nbgrader.exchange.default import ExchangeReleaseAssignment

from autograder.records.archive import class_archive
from course_lib.course import CourseError, find_course


class ReleasePackage(ExchangeReleaseAssignment):  # type: ignore[misc]
    """Releases a lesson's package, with the lesson's notebook on top: there `nbgrader submit` looks for it."""

    def copy_files(self) -> None:
        """Copy the package in place of the bare notebook.

        Raises:
            ExchangeError: it cannot be released; the log says why.
        """
        from autograder.releasing.hand_out import hand_out  # which imports PyTorch; other steps need not wait for it

        with TemporaryDirectory() as folder:
            package = Path(folder) / "package"
            try:
                course = find_course()
                lesson, archive = course.lesson(self.coursedir.assignment_id), class_archive(course)
                hand_out(course, lesson, package, archive)
            except CourseError as error:
                self.fail(str(error))
            shutil.copytree(package / "course_lib/notebooks" / lesson, package, dirs_exist_ok=True)
            self.src_path = str(package)
            super().copy_files()
