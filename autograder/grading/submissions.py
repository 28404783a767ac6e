"""Finding the submissions of a lesson, in nbgrader's layout."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from course_lib.course import CourseError


@dataclass(frozen=True)
class Submission:
    """One student's file, whether or not it is there."""

    student: str
    path: Path

    def read(self, most: int) -> bytes | None:
        """The file's first ``most`` bytes; None where there is no plain file of that name. Links are not followed."""
        links = any(path.is_symlink() for path in (self.path, *self.path.parents[:2]))
        if links or not self.path.is_file():
            return None
        with self.path.open("rb") as file:
            return file.read(most)


def find_submissions(folder: Path, lesson: str) -> list[Submission]:
    """Every ``<folder>/<student>/<lesson>/<lesson>.ipynb``, by student.

    Raises:
        CourseError: the folder is not there, holds no submission of this lesson, or one of somebody
            whose name no gradebook could hold.
    """
    if not folder.is_dir():
        raise CourseError(f"There is no folder {folder}.")
    found = [
        Submission(path.parent.name, path / f"{lesson}.ipynb")
        for path in sorted(folder.glob(f"[!.]*/{lesson}"))
        if path.is_dir()
    ]
    for submission in found:
        if not submission.student.isprintable():
            raise CourseError(f"{folder} has a folder {submission.student!r}: a student's name is text. Rename it.")
    if not found:
        raise CourseError(f"No submissions in {folder}: expected {folder}/<student>/{lesson}/{lesson}.ipynb.")
    return found
