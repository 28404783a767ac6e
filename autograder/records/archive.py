"""What grading leaves on disk besides the gradebook, one lesson a folder.

``autograded/<student>/<lesson>/`` holds the graded notebooks (nbgrader's layout), ``feedback/``
the pages, ``records/<lesson>/<student>.json`` what was found: status, reason, notes, scores.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from course_lib.checking.lettering import number
from course_lib.course import CourseError

if TYPE_CHECKING:
    from autograder.grading.submission import Graded

Notebook = Any
Record = dict[str, Any]


def record_of(graded: Graded) -> Record:
    """A graded submission as JSON, for records and for ``--json``."""
    return {
        "student": graded.student,
        "lesson": graded.lesson,
        "status": graded.status,
        "reason": graded.reason,
        "score": graded.score if graded.status != "failed" else None,
        "max_score": graded.max_score,
        "exercises": {
            name: {
                "score": verdict.score,
                "max_score": verdict.max_score,
                "misconception": verdict.misconception,
                "broken_laws": list(verdict.broken_laws),
                "carried": list(verdict.carried) if verdict.carried else None,
                "error": verdict.error.type if verdict.error else None,
            }
            for name, verdict in graded.verdicts.items()
        },
        "notes": list(graded.notes),
        "sandboxed": graded.sandboxed,
        "digest": graded.digest,
    }


@dataclass(frozen=True)
class Archive:
    """The folder of one class."""

    folder: Path

    def require(self) -> None:
        """Make the folder where there is none.

        Raises:
            CourseError: it cannot be made, or is no folder.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CourseError(f"The class's folder {self.folder} cannot be made: {error.strerror}.") from None

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

    def save(self, graded: Graded, notebook: Notebook | None) -> Record:
        """Write a record, after the graded notebook where there is one; and return it."""
        if notebook is not None:
            import nbformat

            text = nbformat.writes(notebook, version=nbformat.NO_CONVERT)
            write_whole(self.autograded(graded.student, graded.lesson), text)
        path, record = self.folder / "records" / graded.lesson / f"{graded.student}.json", record_of(graded)
        write_whole(path, json.dumps(record, indent=1, ensure_ascii=False))
        return record

    def records(self, lesson: str) -> Iterator[Record]:
        """Every record of a lesson, by student."""
        for path in sorted((self.folder / "records" / lesson).glob("*.json")):
            yield json.loads(path.read_text(encoding="utf-8"))


def write_whole(path: Path, text: str) -> None:
    """Write a file all at once, so that whoever stops us halfway leaves the old one or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, part = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(part, 0o644)
    os.replace(part, path)


def points(score: float | None, most: float) -> str:
    """``"7.5 / 13"``, or ``"–"`` where nothing was graded."""
    return "–" if score is None else f"{number(score)} / {number(most)}"
