"""Find the submissions of a lesson in nbgrader's layout, and read them if they are plain files."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path, PurePath

from autograder.class_folder.graders import other_user
from autograder.submissions.plain_files import names_in, read_plain, read_submitted, submitted_with_owner
from autograder.submissions.submission_time import LONGEST_TIME, TIME, HandedIn, read_time
from course_lib.checking.formatting import printable
from course_lib.course import CourseError
from course_lib.own_notebooks import earlier_names
from course_lib.running.notebook_file import LARGEST_FILE, UnreadableError

LATE = "late.txt"  #: a file next to a notebook that the learning management system marked as late
DRAFT = "draft.txt"  #: a file next to a notebook that Moodle calls a draft
NOTE = "needs_a_look.txt"  #: a file that describes what was handed in instead of a notebook
DOWNLOAD = "download.json"  #: a file that says which download a notebook was collected from
VERSIONS = "versions.txt"  #: a file that names other versions, if nothing shows clearly which of them counts
NOTES = (LATE, DRAFT, NOTE, DOWNLOAD, VERSIONS)
_MOST_NAMES = 1_000  #: the most names in a submission's folder that are examined
LONGEST_NAME = 128  #: the most characters of a student's name in a gradebook. A file's name has at most 255 bytes


@dataclass(frozen=True)
class Submission:
    """One student's file, whether or not it exists.

    Attributes:
        student: the student's id.
        path: the path of the notebook.
        problem: why it cannot be graded regardless of its content, or empty.
    """

    student: str
    path: Path
    problem: str = ""

    def read(self, most: int) -> bytes | None:
        """Return the file's first ``most`` bytes, or None if it is not a plain file. Do not follow links."""
        return read_submitted(self.path, most)

    def beside(self, name: str, most: int) -> bytes | None:
        """Return the first bytes of another file in the submission's folder, as `read` does."""
        return read_submitted(self.path.with_name(name), most)

    def require(self, most: int = LARGEST_FILE + 1) -> bytes:
        """Return the file's content, up to a length at which it is known to be too large.

        Raises:
            UnreadableError: there is no such file, or no student can have its folder's name.
        """
        if self.problem:
            raise UnreadableError(self.problem)
        submitted = self.read(most)
        if submitted is None:
            raise UnreadableError(self.why_missing())
        return submitted

    def why_missing(self) -> str:
        """Explain why the notebook is missing. Name what `course collect` found instead, or similar files."""
        if note := self.beside(NOTE, 2_000):
            found = printable(" ".join(note.decode("utf-8", "replace").split()))
            return f"in place of {self.path.name} there is only {found}"
        missing = f"there is no file {self.path.name}"
        names = sorted(set(self._notebooks_near()))
        if not names:
            return missing
        named = ", ".join(printable(name)[:100] for name in names[:3])
        return f"{missing}, but {named} is there: rename it, or run course collect on the folder of all submissions"

    @property
    def time(self) -> datetime | None:
        """Return the submission time in UTC, if a plain file next to the notebook contains it."""
        return self.handed_in.time

    @property
    def time_problem(self) -> str:
        """Return why the time in the file cannot be read or is doubtful, or an empty string."""
        return self.handed_in.problem

    @property
    def handed_in(self) -> HandedIn:
        """Return the submission time, the problem with it, and who wrote it."""
        data, owner = submitted_with_owner(self.path.with_name(TIME), 4 * LONGEST_TIME + 1)
        return read_time(data) if data is None else replace(read_time(data), author=other_user(owner))

    def of_grader(self, name: str, most: int) -> bytes | None:
        """Return the first bytes of another file in the submission's folder, if it belongs to a grader."""
        data, owner = submitted_with_owner(self.path.with_name(name), most)
        return None if data is None or other_user(owner) else data

    def _notebooks_near(self) -> Iterator[str]:
        """Yield the names of notebooks in the folder, and of notebooks of its lesson in the student's folder."""
        path = self.path.absolute()
        top, lesson, student = path.parents[2], PurePath(*path.parts[-3:-1]), PurePath(path.parts[-3])
        for folder, part in ((lesson, ""), (student, path.stem.casefold())):
            names = [name for name in names_in(top, folder, _MOST_NAMES) if ".ipynb" in name.lower()]
            near = (name for name in names if part in name.casefold())
            yield from (name for name in near if read_plain(top, folder / name, 0) is not None)


def find_submissions(folder: Path, lesson: str) -> list[Submission]:
    """Return every ``<folder>/<student>/<lesson>/<lesson>.ipynb``, sorted by student.

    Raises:
        CourseError: the folder does not exist, or contains no submission of this lesson.
    """
    if not folder.is_dir():
        raise CourseError(f"There is no folder {folder}.")
    students = sorted(name for name in os.listdir(folder) if not name.startswith("."))
    found = [_submission_of(folder / name, lesson) for name in students if _has_handed_in(folder / name, lesson)]
    if not found:
        expected = f"No submissions in {folder}: expected {folder}/<student>/{lesson}/{lesson}.ipynb."
        if older := earlier_names(lesson, (path.name for path in folder.glob("[!.]*/[0-9][0-9]_*"))):
            expected += f" There are some of {' and '.join(older)}, as this lesson was called before lessons got other "
            expected += f"numbers. Name folders and notebooks {lesson} if they belong to it."
        raise CourseError(expected)
    return found


def _has_handed_in(student: Path, lesson: str) -> bool:
    """Return whether a student has a folder for the lesson, or a notebook of it directly in the student's folder."""
    if (student / lesson).is_dir():
        return True
    top, within = student.parent, PurePath(student.name)
    names = (name for name in names_in(top, within, _MOST_NAMES) if _is_misplaced(name, lesson))
    return any(read_plain(top, within / name, 0) is not None for name in names)


def _is_misplaced(name: str, lesson: str) -> bool:
    """Return whether a name is that of a notebook of the lesson."""
    name = name.casefold()
    return ".ipynb" in name and lesson.casefold() in name and not name.startswith(".")


def _submission_of(student: Path, lesson: str) -> Submission:
    found = submission_in(student.name, student / lesson / f"{lesson}.ipynb")
    is_link = student.is_symlink() or (student / lesson).is_symlink()
    problem = "its folder is a link, which is not followed: put a copy of the folder in its place"
    return replace(found, problem=problem) if is_link and not found.problem else found


def submission_in(name: str, path: Path) -> Submission:
    """Return the submission in a folder, whose name may be impossible in a gradebook or for a file."""
    if not name.isprintable():
        problem = "the name of its folder is not text: rename the folder to the student's name"
    elif len(name) > LONGEST_NAME or len(name.encode()) > 200:
        problem = f"the name of its folder is too long: a student's name has at most {LONGEST_NAME} characters"
    else:
        return Submission(name, path)
    text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in name)[:20]
    return Submission(f"{text}-{hashlib.sha256(os.fsencode(name)).hexdigest()[:8]}", path, problem)
