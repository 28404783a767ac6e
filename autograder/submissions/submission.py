"""Find the submissions of a lesson in nbgrader's layout, and read them if they are plain files."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePath

from autograder.submissions.plain_files import names_in, read_plain, read_submitted
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
        """Return the submission time and the problem with it."""
        return read_time(self.beside(TIME, 4 * LONGEST_TIME + 1))

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
    folders = {path for path in folder.glob(f"[!.]*/{lesson}") if path.is_dir()}
    folders |= {path.parent / lesson for path in folder.glob("[!.]*/*") if _is_misplaced(path, lesson)}
    found = [submission_in(path.parent.name, path / f"{lesson}.ipynb") for path in sorted(folders)]
    if not found:
        expected = f"No submissions in {folder}: expected {folder}/<student>/{lesson}/{lesson}.ipynb."
        if older := earlier_names(lesson, (path.name for path in folder.glob("[!.]*/[0-9][0-9]_*"))):
            expected += f" There are some of {' and '.join(older)}, as this lesson was called before lessons got other "
            expected += f"numbers. Name folders and notebooks {lesson} if they belong to it."
        raise CourseError(expected)
    return found


def _is_misplaced(path: Path, lesson: str) -> bool:
    """Return whether a path is a notebook of the lesson directly in a student's folder, not in the lesson's folder."""
    name = path.name.casefold()
    return ".ipynb" in name and lesson.casefold() in name and not name.startswith(".") and path.is_file()


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
