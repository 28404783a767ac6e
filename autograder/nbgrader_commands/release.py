"""Make nbgrader's exchange, and its button for releasing, release the same files as `course release`."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from nbgrader.exchange.default import ExchangeReleaseAssignment

from autograder.records.archive import class_archive
from course_lib.course import CourseError, find_course


class ReleasePackage(ExchangeReleaseAssignment):  # type: ignore[misc]
    """Releases a lesson's package, with the notebook at the top level, where `nbgrader submit` looks for it."""

    def copy_files(self) -> None:
        """Copy the package in place of the bare notebook.

        Raises:
            ExchangeError: the package cannot be released. The log says why.
        """
        from autograder.releasing.hand_out import hand_out  # late, because it imports PyTorch

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
