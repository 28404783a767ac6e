"""What grading leaves on disk besides the gradebook, one lesson a folder.

``autograded/<student>/<lesson>/`` holds the graded notebooks (nbgrader's layout), ``feedback/``
the pages, ``records/<lesson>/<student>.json`` what was found: status, reason, notes, scores.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.records.record import Record
from course_lib.course import CourseError

Notebook = Any


@dataclass(frozen=True)
class Archive:
    """The folder of one class."""

    folder: Path

    def require(self) -> None:
        """Make the folder where there is none.

        Raises:
            CourseError: it cannot be made or written to, or is no folder.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CourseError(f"The class's folder {self.folder} cannot be made: {error.strerror}.") from None
        if not os.access(self.folder, os.W_OK):
            raise CourseError(f"The class's folder {self.folder} cannot be written to. Name another with --class.")

    @property
    def gradebook(self) -> str:
        """The URL of the gradebook that lies in this folder."""
        return f"sqlite:///{(self.folder / 'gradebook.db').resolve()}"

    def autograded(self, student: str, lesson: str) -> Path:
        """Where the graded notebook lies."""
        return self.folder / "autograded" / student / lesson / f"{lesson}.ipynb"

    def feedback(self, student: str, lesson: str) -> Path:
        """Where the feedback page lies."""
        return self.folder / "feedback" / student / lesson / f"{lesson}.html"

    def report(self, lesson: str) -> Path:
        """Where the class report lies."""
        return self.folder / "reports" / f"{lesson}.html"

    def save(self, record: Record, notebook: Notebook | None) -> None:
        """Write a record, after the graded notebook; where there is none, one of an earlier grade goes."""
        path = self.autograded(record["student"], record["lesson"])
        if notebook is not None:
            import nbformat

            write_whole(path, nbformat.writes(notebook, version=nbformat.NO_CONVERT))
        else:
            with writing(path):
                path.unlink(missing_ok=True)
        self.save_record(record)

    def save_record(self, record: Record) -> None:
        """Write a record, and nothing else."""
        path = self.folder / "records" / record["lesson"] / f"{record['student']}.json"
        write_whole(path, json.dumps(record, indent=1, ensure_ascii=False))

    def records(self, lesson: str) -> Iterator[Record]:
        """Every record of a lesson, by student.

        Raises:
            CourseError: one cannot be read.
        """
        for path in sorted((self.folder / "records" / lesson).glob("*.json")):
            try:
                record = {**_SINCE, **json.loads(path.read_text(encoding="utf-8"))}
                record.setdefault("asked", record["status"] != "failed")
                for exercise in record["exercises"].values():
                    exercise.setdefault("sentences", {})
                yield record  # type: ignore[misc]
            except (OSError, ValueError) as error:
                raise CourseError(f"{path} cannot be read: {error}. Remove it and grade again.") from None


#: what records that were written by earlier versions lack
_SINCE = {"courses_fault": False, "waiting": [], "to_review": 0, "kept": ""}


def write_whole(path: Path, text: str) -> None:
    """Write a file all at once, so that whoever stops us halfway leaves the old one or the new one.

    Raises:
        CourseError: it cannot be written.
    """
    with writing(path), contextlib.ExitStack() as afterwards:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, part = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
        afterwards.callback(Path(part).unlink, missing_ok=True)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(part, 0o644)
        os.replace(part, path)


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
