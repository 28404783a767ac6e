"""What grading leaves on disk besides the gradebook, one lesson a folder.

``autograded/<student>/<lesson>/`` holds the graded notebooks (nbgrader's layout), ``feedback/`` the pages,
``records/<lesson>/<student>.json`` what was found: status, reason, notes, scores. And ``history/`` has every record
that ever stood there, a line each: nothing that was graded is forgotten when it is graded again.
"""

from __future__ import annotations

import contextlib
import copy
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from glob import escape
from pathlib import Path
from typing import Any, TypedDict
from urllib.parse import quote

from autograder.grading.class_folder import require_class_folder
from autograder.grading.submission_time import TIME
from autograder.records.record import Record
from course_lib.course import Course, CourseError
from course_lib.version import __version__

Notebook = Any


class Moment(TypedDict):
    """A record, when it was written, and by which version of the course."""

    when: str
    version: str
    record: Record


@dataclass(frozen=True)
class Archive:
    """The folder of one class.

    Attributes:
        url: of its gradebook; empty where that is a file in the folder.
    """

    folder: Path
    url: str = ""

    def require(self) -> None:
        """Make the folder if there is none, and keep everybody but graders out of it.

        Raises:
            CourseError: it cannot be made or written to, or it is not a folder.
        """
        try:
            require_class_folder(self.folder)
        except OSError as error:
            raise CourseError(f"The class's folder {self.folder} cannot be made: {error.strerror}.") from None
        if not os.access(self.folder, os.W_OK):
            raise CourseError(f"The class's folder {self.folder} cannot be written to. Name another with --class.")

    @property
    def gradebook(self) -> str:
        """The URL of the class's gradebook."""
        return self.url or f"sqlite:///{(self.folder / 'gradebook.db').resolve()}"

    @property
    def submitted(self) -> Path:
        """Where collected submissions lie, as nbgrader has them."""
        return self.folder / "submitted"

    @property
    def roster(self) -> Path:
        """Where the list of the class's students lies, if there is one."""
        return self.folder / "students.csv"

    @property
    def labels(self) -> Path:
        """Where the table of labels lies that says whose teams and anonymous numbers are, if there is one."""
        return self.folder / "labels.csv"

    def autograded(self, student: str, lesson: str) -> Path:
        """Where the graded notebook lies."""
        return self.folder / "autograded" / student / lesson / f"{lesson}.ipynb"

    def feedback(self, student: str, lesson: str) -> Path:
        """Where the feedback page lies."""
        return self.folder / "feedback" / student / lesson / f"{lesson}.html"

    def report(self, lesson: str) -> Path:
        """Where the class report lies."""
        return self.folder / "reports" / f"{lesson}.html"

    def feedback_link(self, lesson: str) -> Callable[[str], str]:
        """Where a student's feedback page lies, seen from the class report; empty where there is none."""

        def link(student: str) -> str:
            path = self.feedback(student, lesson)
            return quote(f"../{path.relative_to(self.folder).as_posix()}") if path.is_file() else ""

        return link

    def save(self, record: Record, notebook: Notebook | None, time: datetime | None = None) -> None:
        """Write a record, after the graded notebook; where there is none, one of an earlier grade goes.

        Args:
            time: when it was handed in, in UTC; by it nbgrader's own steps know whether a later one has come.
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
        """Write a record, and add it to the history."""
        self.hold(record)
        self._remember(record)

    def hold(self, record: Record) -> None:
        """Write a record that is not to be told of: another is to come."""
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
        """Every record that a student has had, of all lessons, the oldest first."""
        paths = (self.folder / "history").glob(f"*/{escape(student)}.jsonl")
        found = [moment for path in paths for moment in _lines(path)]
        for moment in found:
            moment["record"] = _whole(moment["record"])
        return sorted(found, key=lambda moment: moment["when"])

    def records(self, lesson: str) -> Iterator[Record]:
        """Every record of a lesson, by student.

        Raises:
            CourseError: one cannot be read.
        """
        yield from map(_read, sorted((self.folder / "records" / lesson).glob("*.json")))

    def record(self, lesson: str, student: str) -> Record | None:
        """The record of one student, if there is one.

        Raises:
            CourseError: it cannot be read.
        """
        path = self._record(lesson, student)
        return _read(path) if path.is_file() else None


#: what records that were written by earlier versions lack, and what each exercise of theirs does
_SINCE: dict[str, Any] = {"courses_fault": False, "late": 0.0, "waiting": [], "to_review": 0, "above_maximum": 0}
_SINCE |= {"answers": {}, "scored": {}, "kept": "", "decision": "", "time_note": "", "file": "", "look": []}
_SINCE_OF_EXERCISES: dict[str, Any] = {"sentences": {}, "carried": None, "error": None}


def _read(path: Path) -> Record:
    try:
        return _whole(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise CourseError(f"{path} cannot be read: {error}. Remove it and grade again.") from None


def _whole(record: Any) -> Record:
    """A record that any version wrote, as this version has it."""
    record = {**copy.deepcopy(_SINCE), **record}
    record.setdefault("asked", record["status"] != "failed")
    for exercise in record["exercises"].values():
        for name, lacking in _SINCE_OF_EXERCISES.items():
            exercise.setdefault(name, copy.copy(lacking))
    return record  # type: ignore[no-any-return]


def _lines(path: Path) -> list[Moment]:
    """What a history holds; a last line that was cut off when it was written is passed over."""
    found = []
    if path.is_file():
        for line in path.read_text(encoding="utf-8").split("\n"):  # a record may hold what else ends a line
            with contextlib.suppress(ValueError):
                found.append(json.loads(line))
    return found


def now() -> str:
    """The time, as everything that a class keeps has it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def class_archive(course: Course, folder: Path | None = None) -> Archive:
    """The class that `course.toml` describes, or another one, of which everything lies in one folder."""
    return Archive(folder.resolve()) if folder else Archive(course.class_folder, course.gradebook)


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file all at once, so that whoever stops us halfway leaves the old one or the new one.

    Raises:
        CourseError: it cannot be written.
    """
    with writing(path), contextlib.ExitStack() as afterwards:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, part = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
        afterwards.callback(Path(part).unlink, missing_ok=True)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        os.chmod(part, 0o600 | path.parent.stat().st_mode & 0o060)  # never everybody's: students' work, or grades
        os.replace(part, path)


def write_json(path: Path, found: object) -> None:
    """Write something as JSON that a person can read, all at once.

    Raises:
        CourseError: it cannot be written.
    """
    write_whole(path, json.dumps(found, indent=1, ensure_ascii=False))


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Whatever stands in the way of writing a file, in one sentence.

    Raises:
        CourseError: with that sentence.
    """
    try:
        yield
    except OSError as error:
        raise CourseError(f"{path} cannot be written: {error.strerror}.") from None
