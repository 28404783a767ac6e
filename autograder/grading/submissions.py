"""Finding the submissions of a lesson, in nbgrader's layout, and reading them: plain files only."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from course_lib.course import CourseError

TIME = "timestamp.txt"  #: beside a notebook: when it was handed in, as nbgrader writes it
#: bytes; a larger submission is not read
LARGEST = 20_000_000
LONGEST_NAME = 128  #: characters of a student's name that a gradebook holds; and a file's name has 255 bytes


#: lists and mappings of a notebook, and values in them; more of them take gigabytes when they are read
_MOST_BRACKETS, _MOST_COMMAS = 2_000_000, 5_000_000


class UnreadableError(Exception):
    """A submission that is not there, or no notebook; the message is the reason that is recorded."""


@dataclass(frozen=True)
class Submission:
    """One student's file, whether or not it is there.

    Attributes:
        student: by which records call them.
        path: of the notebook.
        problem: why it cannot be graded whatever it holds; empty where it can.
    """

    student: str
    path: Path
    problem: str = ""

    def read(self, most: int) -> bytes | None:
        """The file's first ``most`` bytes; None where there is no plain file of that name. Links are not followed."""
        return self._plain(self.path, most)

    def require(self, most: int = LARGEST + 1) -> bytes:
        """The file, as much of it as tells one that is too large from others.

        Raises:
            UnreadableError: there is no such file, or its folder has a name that no student has.
        """
        if self.problem:
            raise UnreadableError(self.problem)
        submitted = self.read(most)
        if submitted is None:
            raise UnreadableError(f"there is no file {self.path.name}")
        return submitted

    @property
    def time(self) -> datetime | None:
        """When it was handed in, in UTC, if a plain file beside it says so."""
        return time_in(self._plain(self.path.with_name(TIME), 100))

    def _plain(self, path: Path, most: int) -> bytes | None:
        return None if any(folder.is_symlink() for folder in path.parents[:2]) else read_plain(path, most)


def read_plain(path: Path, most: int) -> bytes | None:
    """The first ``most`` bytes of a plain file; None where there is none: a link, a pipe or a device is none."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    with os.fdopen(descriptor, "rb") as file:
        return file.read(most)


def read_json(data: bytes) -> Any:
    """What somebody's JSON says.

    Raises:
        ValueError: it is none, or has so many values or such deep brackets that no notebook is meant by it.
    """
    if data.count(b"[") + data.count(b"{") > _MOST_BRACKETS or data.count(b",") > _MOST_COMMAS:
        raise ValueError("too many values")
    try:
        return json.loads(data.decode("utf-8-sig"))
    except RecursionError:
        raise ValueError("brackets within brackets") from None


def time_in(data: bytes | None) -> datetime | None:
    """A time as nbgrader writes it, in UTC; None where it is none."""
    said = (data or b"")[:100].decode("utf-8", "replace").strip()
    try:
        time = datetime.fromisoformat(said.removesuffix(" UTC"))
        return time if time.tzinfo is None else time.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return None


def find_submissions(folder: Path, lesson: str) -> list[Submission]:
    """Every ``<folder>/<student>/<lesson>/<lesson>.ipynb``, by student.

    Raises:
        CourseError: the folder is not there, or holds no submission of this lesson.
    """
    if not folder.is_dir():
        raise CourseError(f"There is no folder {folder}.")
    found = [
        submission_in(path.parent.name, path / f"{lesson}.ipynb")
        for path in sorted(folder.glob(f"[!.]*/{lesson}"))
        if path.is_dir()
    ]
    if not found:
        raise CourseError(f"No submissions in {folder}: expected {folder}/<student>/{lesson}/{lesson}.ipynb.")
    return found


def submission_in(name: str, path: Path) -> Submission:
    """The submission in a folder of that name, which may be a name that no gradebook or file could hold."""
    if not name.isprintable():
        problem = "the name of its folder is not text: rename the folder to the student's name"
    elif len(name) > LONGEST_NAME or len(name.encode()) > 200:
        problem = f"the name of its folder is too long: a student's name has at most {LONGEST_NAME} characters"
    else:
        return Submission(name, path)
    text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in name)[:20]
    return Submission(f"{text}-{hashlib.sha256(os.fsencode(name)).hexdigest()[:8]}", path, problem)
