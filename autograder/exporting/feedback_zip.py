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
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from autograder.collecting.collect import CANVAS, MOODLE, as_id, copy_number
from autograder.collecting.downloads import downloads
from autograder.collecting.roster import Roster
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
    must not lead anybody's feedback to another.
    """
    found: dict[str, tuple[tuple[str, int, PurePosixPath], str]] = {}
    for download in downloads(place):
        if download.path.suffix.lower() == ".ipynb":
            order = (download.time, copy_number(download.path), download.path)
            for student, name in _expected(download.path, lesson, roster):
                if student not in found or found[student][0] < order:
                    found[student] = (order, name)
    return {student: name for student, (_, name) in found.items()}


def _expected(path: PurePosixPath, lesson: str, roster: Roster | None) -> Iterator[tuple[str, str]]:
    """Whose a file is that Moodle or Canvas named, and what they expect feedback on it to be called."""
    for part in reversed(path.parts):
        if moodle := MOODLE.match(part):
            called = f"{moodle['name']}_{moodle['number']}_assignsubmission_file_/{lesson}.html"
            yield from ((student, called) for student in _students(moodle["name"], "", roster))
            return
        if canvas := CANVAS.match(part):
            start = f"{canvas['name']}_{canvas['late'] or ''}{canvas['number']}_{canvas['file_number']}"
            students = _students(canvas["name"], canvas["number"], roster)
            yield from ((student, f"{start}_{lesson}.html") for student in students)
            return


def _students(name: str, number: str, roster: Roster | None) -> list[str]:
    """The one student who is meant, or nobody."""
    if roster is None:
        return [as_id(name)]
    members = roster.numbered(number) or roster.called(name)
    return [member.id for member in members] if len(members) == 1 else []
