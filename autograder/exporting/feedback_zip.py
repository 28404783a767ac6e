"""Feedback pages in one zip, named so that Canvas and Moodle hand each to its student.

Both know a student's file by what they called it when they gave out the submissions, and by nothing else:

- **Moodle** (*View all submissions → Upload multiple feedback files in a zip*, where the assignment's feedback type
  *Feedback files* is on) reads ``NAME_NUMBER_assignsubmission_file_``, a folder for each student; ``NUMBER`` is the
  student's in this one assignment. Source: ``mod/assign/feedback/file/importziplib.php`` of moodle/moodle, and
  https://docs.moodle.org/en/File_feedback
- **Canvas** (*Upload Submissions* on the assignment's page, after *Download Submissions*) reads the first two numbers
  between underscores: the student's and that of the file that was handed in, which must be of this assignment. The page
  becomes a comment's attachment, and Canvas shows it under the name of the file that was handed in. Source:
  ``generate_comments_from_files`` in ``app/models/abstract_assignment.rb`` of instructure/canvas-lms, and "How do I
  upload all student submissions for an assignment?" in the Canvas Instructor Guide.

So the names are taken from the downloads that `course collect` was given.
"""

from __future__ import annotations

import os
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from autograder.collecting.downloads import downloads
from autograder.collecting.names import copy_number
from autograder.collecting.roster import Roster
from autograder.collecting.system_names import Label, namesakes
from autograder.collecting.whose import label_of, students_called
from autograder.records.archive import Archive, writing
from course_lib.course import CourseError


@dataclass(frozen=True)
class Zipped:
    """What became of a class's pages.

    Attributes:
        pages: how many are in the zip.
        without_name: students who have a page and no download that says what it must be called.
        without_page: students of whom there is a download and no page.
    """

    pages: int
    without_name: tuple[str, ...]
    without_page: tuple[str, ...]


def zip_feedback(archive: Archive, lesson: str, place: Path, roster: Roster | None, target: Path) -> Zipped:
    """Write the zip.

    Args:
        place: the downloads that the lesson was collected from: their names say what each page must be called.

    Raises:
        CourseError: no download has a name of Canvas's or Moodle's, there is no page, or the zip cannot be written.
    """
    names = _names(place, lesson, roster)
    if not names:
        raise CourseError(
            f"No notebook in {place} has a name that Canvas or Moodle gave it, so nothing says what they expect a page "
            "of feedback to be called. Name the zip as it was downloaded."
        )
    pages = {path.parent.parent.name: path for path in (archive.folder / "feedback").glob(f"*/{lesson}/{lesson}.html")}
    if not pages.keys() & names.keys():
        raise CourseError(f"None of {place} has a feedback page of {lesson}. Run: course feedback {lesson}")
    part = target.with_name(f".{target.name}.part")
    with writing(target):
        try:
            with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as into:
                for student in sorted(pages.keys() & names.keys()):
                    into.write(pages[student], names[student])
            os.replace(part, target)
        finally:
            part.unlink(missing_ok=True)
    both = pages.keys() & names.keys()
    return Zipped(len(both), tuple(sorted(pages.keys() - both)), tuple(sorted(names.keys() - both)))


def _names(place: Path, lesson: str, roster: Roster | None) -> dict[str, str]:
    """What the page of each student must be called; of several downloads, the last one's name counts.

    Whose a download is, only Canvas and Moodle are asked here. What a student called a file, which helps in collecting,
    must not lead anybody's feedback to another. Of two people whom we cannot tell apart, neither gets a page.
    """
    found: dict[str, list[tuple[int, PurePosixPath, Label]]] = {}
    for download in downloads(place, lambda data: b""):
        label = label_of(download.path, roster)
        if label and download.is_notebook:
            students = students_called(label, roster)
            if len(students) == 1:
                one = (copy_number(download.path), download.path, label)
                found.setdefault(students[0], []).append(one)
    return {
        student: _expected(max(several, key=lambda one: one[:2])[2], lesson)
        for student, several in found.items()
        if not namesakes(label for _, _, label in several)
    }


def _expected(label: Label, lesson: str) -> str:
    """What Moodle or Canvas expect feedback on a file to be called that they named so."""
    if label.file_number:
        return f"{label.name}_{label.late}{label.number}_{label.file_number}_{lesson}.html"
    return f"{label.name}_{label.number}_assignsubmission_file_/{lesson}.html"
