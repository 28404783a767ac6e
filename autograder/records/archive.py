"""Read and write the files that grading leaves in the class's folder.

``autograded/<student>/<lesson>/`` holds the graded notebooks (nbgrader's layout), and ``feedback/`` holds the pages.
``records/<lesson>/<student>.json`` holds the result: status, reason, notes and scores. ``history/`` holds every record
there ever was, one per line, so an earlier grade is not lost when a submission is graded again.
"""

from __future__ import annotations

import contextlib
import copy
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from glob import escape
from pathlib import Path
from typing import Any, TypedDict
from urllib.parse import quote

from autograder.class_folder.folder import require_class_folder, require_graders_folder
from autograder.class_folder.next_command import COURSES_OWN, ClassOptions
from autograder.class_folder.writing import now, write_json, write_whole, writing
from autograder.records.record import Record
from autograder.submissions.submission_time import TIME
from course_lib.course import CLASS_FOLDER, Course, CourseError
from course_lib.version import __version__

Notebook = Any


class Moment(TypedDict):
    """A record, with the time at which it was written and the version of the course that wrote it."""

    when: str
    version: str
    record: Record


@dataclass(frozen=True)
class Archive:
    """The folder of one class.

    Attributes:
        url: the gradebook's URL, or empty if the gradebook is a file in the folder.
        options: the options that selected the class.
        graders: the users with whom the class is shared.
    """

    folder: Path
    url: str = ""
    options: ClassOptions = COURSES_OWN
    graders: frozenset[int] = frozenset()

    def require(self) -> None:
        """Make the folder if there is none, and restrict access to the graders.

        Raises:
            CourseError: the folder cannot be made or written to, is not a folder, or belongs to another user.
        """
        try:
            require_class_folder(self.folder)
        except OSError as error:
            raise CourseError(f"The class's folder {self.folder} cannot be made: {error.strerror}.") from None
        require_graders_folder(self.folder, self.graders)
        if not os.access(self.folder, os.W_OK):
            raise CourseError(f"The class's folder {self.folder} cannot be written to. Name another with --class.")

    @property
    def gradebook(self) -> str:
        """Return the URL of the class's gradebook."""
        return self.url or f"sqlite:///{(self.folder / 'gradebook.db').resolve()}"

    @property
    def submitted(self) -> Path:
        """Return the folder of the collected submissions, in nbgrader's layout."""
        return self.folder / "submitted"

    @property
    def roster(self) -> Path:
        """Return the path of the class's roster, which may not exist."""
        return self.folder / "students.csv"

    @property
    def labels(self) -> Path:
        """Return the path of the table of labels for teams and anonymous numbers, which may not exist."""
        return self.folder / "labels.csv"

    def autograded(self, student: str, lesson: str) -> Path:
        """Return the path of the graded notebook."""
        return self.folder / "autograded" / student / lesson / f"{lesson}.ipynb"

    def feedback(self, student: str, lesson: str) -> Path:
        """Return the path of the feedback page."""
        return self.folder / "feedback" / student / lesson / f"{lesson}.html"

    def report(self, lesson: str) -> Path:
        """Return the path of the class report."""
        return self.folder / "reports" / f"{lesson}.html"

    def feedback_link(self, lesson: str) -> Callable[[str], str]:
        """Return a function that links a student's feedback page from the class report, if there is a page."""

        def link(student: str) -> str:
            path = self.feedback(student, lesson)
            return quote(f"../{path.relative_to(self.folder).as_posix()}") if path.is_file() else ""

        return link

    def save(self, record: Record, notebook: Notebook | None, time: datetime | None = None) -> None:
        """Write the graded notebook, then the record. Without a notebook, remove the one of an earlier grade.

        Args:
            time: the submission time in UTC, by which nbgrader's own steps notice a later submission.
        """
        path = self.autograded(record["student"], record["lesson"])
        stamp = path.with_name(TIME)
        if notebook is not None:
            import nbformat

            write_whole(path, nbformat.writes(notebook, version=nbformat.NO_CONVERT))
        else:
            with writing(path):
                path.unlink(missing_ok=True)
        if notebook is not None and time is not None:
            write_whole(stamp, f"{time:%Y-%m-%d %H:%M:%S.%f} UTC\n")
        else:
            with writing(stamp):
                stamp.unlink(missing_ok=True)
        self.save_record(record)

    def save_record(self, record: Record) -> None:
        """Write a record and add it to the history."""
        self.hold(record)
        self._remember(record)

    def hold(self, record: Record) -> None:
        """Write a record without adding it to the history."""
        write_json(self._record(record["lesson"], record["student"]), record)

    def _record(self, lesson: str, student: str) -> Path:
        return self.folder / "records" / lesson / f"{student}.json"

    def _remember(self, record: Record) -> None:
        path = self.folder / "history" / record["lesson"] / f"{record['student']}.jsonl"
        last = next(reversed(_lines(path)), None)
        if last is None or last["record"] != record:
            with writing(path):
                path.parent.mkdir(parents=True, exist_ok=True)
                cut_off = path.is_file() and not path.read_bytes().endswith(b"\n")
                moment: Moment = {"when": now(), "version": __version__, "record": record}
                with path.open("a", encoding="utf-8") as file:
                    file.write("\n" * cut_off + json.dumps(moment, ensure_ascii=False) + "\n")

    def history(self, student: str) -> list[Moment]:
        """Return every record that a student has had, of all lessons, the oldest first."""
        paths = (self.folder / "history").glob(f"*/{escape(student)}.jsonl")
        found = [moment for path in paths for moment in _lines(path)]
        for moment in found:
            moment["record"] = _whole(moment["record"])
        return sorted(found, key=lambda moment: moment["when"])

    def records(self, lesson: str) -> Iterator[Record]:
        """Yield every record of a lesson, sorted by student.

        Raises:
            CourseError: a record cannot be read.
        """
        yield from map(_read, sorted((self.folder / "records" / lesson).glob("*.json")))

    def record(self, lesson: str, student: str) -> Record | None:
        """Return the record of one student, if there is one.

        Raises:
            CourseError: the record cannot be read.
        """
        path = self._record(lesson, student)
        return _read(path) if path.is_file() else None


#: defaults for the fields that records of earlier versions lack, and for those that their exercises lack
_SINCE: dict[str, Any] = {"courses_fault": False, "late": 0.0, "waiting": [], "to_review": 0, "above_maximum": 0}
_SINCE |= {
    "answers": {},
    "scored": {},
    "earlier": None,
    "kept": "",
    "decision": "",
    "time_note": "",
    "file": "",
    "look": [],
    "unseen": {},
}
_SINCE_OF_EXERCISES: dict[str, Any] = {"sentences": {}, "carried": None, "error": None}


def _read(path: Path) -> Record:
    try:
        return _whole(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise CourseError(f"{path} cannot be read: {error}. Remove it and grade again.") from None


def _whole(record: Any) -> Record:
    """Fill in the fields that a record of an earlier version lacks."""
    record = {**copy.deepcopy(_SINCE), **record}
    if "doubts" not in record:
        record["doubts"], record["time_note"] = [record["time_note"]] if record["time_note"] else [], ""
    record.setdefault("asked", record["status"] != "failed")
    for exercise in record["exercises"].values():
        for name, lacking in _SINCE_OF_EXERCISES.items():
            exercise.setdefault(name, copy.copy(lacking))
    return record  # type: ignore[no-any-return]


def _lines(path: Path) -> list[Moment]:
    """Read a history. Skip a line that is incomplete because writing it was interrupted."""
    found = []
    if path.is_file():
        for line in path.read_text(encoding="utf-8").split("\n"):  # a record may contain other line separators
            with contextlib.suppress(ValueError):
                found.append(json.loads(line))
    return found


def class_archive(course: Course, folder: Path | None = None, gradebook: str | None = None) -> Archive:
    """Return the class in a folder, or the one that `course lab --class` selected or `course.toml` describes.

    Args:
        gradebook: the gradebook's URL. Default: the folder's own, or the one that `course.toml` names.

    Raises:
        CourseError: the folder belongs to another user, with whom the class is not shared.
    """
    if folder is None and (selected := os.environ.get(CLASS_FOLDER)):
        folder = Path(selected)
    options = ClassOptions(folder, gradebook)
    if folder:
        archive = Archive(folder.resolve(), gradebook or "", options, course.graders)
    else:
        archive = Archive(course.class_folder, gradebook or course.gradebook, options, course.graders)
    require_graders_folder(archive.folder, archive.graders)
    return archive
