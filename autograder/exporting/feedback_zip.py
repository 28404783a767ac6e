"""Put feedback pages into one zip, with names by which Canvas and Moodle return each to its student.

Both recognise a student's file only by the name that they gave it when the submissions were downloaded:

- **Moodle** (*View all submissions → Upload multiple feedback files in a zip*, where the assignment's feedback type
  *Feedback files* is on) reads ``NAME_NUMBER_assignsubmission_file_``, a folder for each student. ``NUMBER`` is the
  student's number in this one assignment. Source: ``mod/assign/feedback/file/importziplib.php`` of moodle/moodle, and
  https://docs.moodle.org/en/File_feedback
- **Canvas** (*Upload Submissions* on the assignment's page, after *Download Submissions*) reads the first two numbers
  between underscores: the student's and that of the file that was handed in, which must be of this assignment. The page
  becomes a comment's attachment, and Canvas shows it under the name of the file that was handed in. Source:
  ``generate_comments_from_files`` in ``app/models/abstract_assignment.rb`` of instructure/canvas-lms, and "How do I
  upload all student submissions for an assignment?" in the Canvas Instructor Guide.

So the names are taken from the downloads that `course collect` was given.
"""

from __future__ import annotations

import zipfile
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from autograder.class_folder.writing import writing
from autograder.collecting.downloads import downloads
from autograder.collecting.identify_student import Owners
from autograder.collecting.labels import NO_LABELS, Labels, as_id
from autograder.collecting.names import copy_number
from autograder.collecting.outcomes import NAMESAKES
from autograder.collecting.roster import Roster
from autograder.collecting.system_names import Label, namesakes
from autograder.records.archive import Archive
from course_lib.course import CourseError
from course_lib.replacing import replacing


@dataclass(frozen=True)
class Zipped:
    """The result of packing a class's pages.

    Attributes:
        pages: the number of pages in the zip.
        without_name: the students with a page but without a download that determines its name.
        without_page: the students with a download but without a page.
        unclear: the students with a page who share a name, so that it is not clear which download is whose.
    """

    pages: int
    without_name: tuple[str, ...]
    without_page: tuple[str, ...]
    unclear: tuple[str, ...] = ()


def zip_feedback(
    archive: Archive, lesson: str, place: Path, roster: Roster | None, target: Path, labels: Labels = NO_LABELS
) -> Zipped:
    """Write the zip.

    Args:
        place: the downloads from which the lesson was collected. Their names determine those of the pages.
        labels: the students behind teams and anonymous numbers. A team's download names the page of each member.

    Raises:
        CourseError: no download has a name of Canvas's or Moodle's, there is no page, or the zip cannot be written.
    """
    pages = {path.parent.parent.name: path for path in (archive.folder / "feedback").glob(f"*/{lesson}/{lesson}.html")}
    names, namesakes = _names(place, lesson, Owners(roster, labels), pages.keys())
    unclear = tuple(sorted(namesakes & pages.keys()))
    if not names and unclear:
        raise CourseError(f"It is not clear which file in {place} is whose: {', '.join(unclear)}. {NAMESAKES}.")
    if not names:
        raise CourseError(
            f"No file in {place} has a name that Canvas or Moodle gave it, so nothing says what they expect a page "
            "of feedback to be called. Name the zip as it was downloaded."
        )
    if not pages.keys() & names.keys():
        command = archive.options.command(f"feedback {lesson}")
        raise CourseError(f"None of {place} has a feedback page of {lesson}. Run: {command}")
    with writing(target), replacing(target) as part, zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as into:
        for student in sorted(pages.keys() & names.keys()):
            into.write(pages[student], names[student])
    both = pages.keys() & names.keys()
    nameless = pages.keys() - both - namesakes
    return Zipped(len(both), tuple(sorted(nameless)), tuple(sorted(names.keys() - both)), unclear)


@dataclass(frozen=True)
class _Named:
    """A file that Canvas or Moodle named.

    Attributes:
        label: the label in its name.
        order: a key that ranks a student's files. Notebooks come last, because feedback is about them.
        member: the student's id if a team shares the file, or else empty.
        surely: whether the instructor's table says whose it is.
    """

    label: Label
    order: tuple[bool, int, int, PurePosixPath]
    member: str
    surely: bool


def _names(place: Path, lesson: str, owners: Owners, pages: Collection[str]) -> tuple[dict[str, str], set[str]]:
    """Return the name of each student's page, which follows from the last of several downloads, and the namesakes.

    Any file counts, because a student whose submission cannot be graded has a page, too. A file in an archive counts
    under the archive's name. Only the labels of Canvas and Moodle count here. A file name that a student chose helps in
    collecting, but it must not send anybody's feedback to someone else. If two people cannot be distinguished, neither
    gets a page.
    """
    found: dict[str, list[_Named]] = {}
    unclear = set[str]()
    for download in downloads(place, lambda data: b""):
        owner = owners.of(download.path)
        if label := owner.label:
            unclear.update(owner.perhaps)
            number = int(label.file_number or 0)
            order = (download.is_notebook, number, copy_number(download.path), download.path)
            in_table = bool(owner.students) and bool(owners.labels.of(label.name))
            students = _with_pages(owner.students, label, in_table, pages)
            for student in students:
                one = _Named(label, order, student if len(students) > 1 else "", owner.surely)
                found.setdefault(student, []).append(one)
    unclear |= {
        student for student, several in found.items() if namesakes(None if one.surely else one.label for one in several)
    }
    named = {
        student: _expected(max(several, key=lambda one: one.order), lesson)
        for student, several in found.items()
        if student not in unclear
    }
    return named, unclear - named.keys()


def _with_pages(students: tuple[str, ...], label: Label, in_table: bool, pages: Collection[str]) -> tuple[str, ...]:
    """Return whose page belongs to a file: the label's own if the lesson was graded under labels."""
    by_label = as_id(label.name)
    return (by_label,) if in_table and by_label in pages and not {*students} & {*pages} else students


def _expected(one: _Named, lesson: str) -> str:
    """Return the name that Moodle or Canvas expects for feedback on a file. Members of a team get different names."""
    label, page = one.label, f"{lesson}_{one.member}.html" if one.member else f"{lesson}.html"
    if label.file_number:
        return f"{label.name}_{label.late}{label.number}_{label.file_number}_{page}"
    return f"{label.name}_{label.number}_assignsubmission_file_/{page}"
