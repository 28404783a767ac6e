"""Find and remove everything that a class's folder and gradebook hold about a student."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import markupsafe

from autograder.class_folder import log as class_log
from autograder.class_folder.gradebook_url import file_of
from autograder.class_folder.spreadsheet import harmless
from autograder.class_folder.writing import write_whole
from autograder.collecting.roster import read_roster, without_member
from autograder.collecting.tables import text_of
from autograder.gradebook.gradebook import Records
from autograder.records.archive import Archive
from course_lib.course import CourseError
from course_lib.suggestion import suggestion

#: the folders in a class's folder that have one folder per student
BY_STUDENT = ("submitted", "replaced", "autograded", "feedback")
#: the folders that have one folder per lesson, with one file per student
BY_LESSON = {"records": ".json", "history": ".jsonl"}
#: tables with a row for each of some students
TABLES = ("decisions.csv", "deadlines.csv", "labels.csv")
#: how their columns of students are called; the second one is GitHub Classroom's
_COLUMNS = ("student", "identifier")
#: the folder of files about all students together, which can be made again
TOGETHER = "reports"


@dataclass(frozen=True)
class Held:
    """Everything that is held about one student, or about all.

    Attributes:
        students: the students whom the gradebook knows.
        lessons: the lessons with data in the gradebook.
        paths: the files and folders, each with its kind.
        row: the student whose row is in the class's roster, or empty.
        rows: other tables with rows of the student, each with that student.
    """

    students: tuple[str, ...]
    lessons: tuple[str, ...]
    paths: tuple[tuple[str, Path], ...]
    row: str = ""
    rows: tuple[tuple[Path, str], ...] = ()

    def __bool__(self) -> bool:
        """Return whether anything is held."""
        return bool(self.students or self.paths or self.row or self.rows)


class Purge:
    """Finds and removes everything that is held about students.

    Args:
        archive: the class's folder.
    """

    def __init__(self, archive: Archive) -> None:
        self._archive, self._url = archive, archive.gradebook
        self._lessons_of = self._gradebook()
        roster = read_roster(archive.roster) if archive.roster.is_file() else None
        self._roster = roster
        self._members = {member.id for member in roster.members} if roster else set()

    @property
    def students(self) -> set[str]:
        """Return every student about whom anything is held."""
        folders = (path for place in self._folders() if place.is_dir() for path in place.iterdir())
        files = (path for part, ending in BY_LESSON.items() for path in self._part(part).glob(f"*/*{ending}"))
        names = {path.name for path in folders if not path.name.startswith(".")} | {path.stem for path in files}
        return names | self._lessons_of.keys() | self._members

    def held(self, student: str) -> Held:
        """Return everything that is held about a student.

        Raises:
            CourseError: nothing is held about the student.
        """
        if student not in (everyone := self.students):
            near = suggestion(student, everyone)
            raise CourseError(f"Nothing is held of {student!r} in {self._archive.folder}{near}")
        paths: list[tuple[str, Path]] = []
        if _is_name(student):
            paths += [(place.name, place / student) for place in self._folders() if _exists(place / student)]
        for part, ending in BY_LESSON.items() if _is_name(student) else ():
            found = (folder / f"{student}{ending}" for folder in self._part(part).glob("*"))
            paths += [(part, path) for path in sorted(found) if _exists(path)]
        for what, files in ((TOGETHER, self._files(TOGETHER)), ("log", self._log)):
            paths += [(what, path) for path in files if student and _names(path, student)]
        known = (student,) if student in self._lessons_of else ()
        row = student if student in self._members else ""
        tables = [self._part(name) for name in TABLES]
        rows = tuple((path, student) for path in tables if path.is_file() and self._without(path, student)[1])
        return Held(known, tuple(self._lessons_of.get(student, ())), tuple(paths), row, rows)

    def held_of_all(self) -> Held:
        """Return everything that is held about all students, but not the class's secret and hidden questions."""
        places = [*self._folders(), *(self._part(part) for part in (*BY_LESSON, TOGETHER))]
        paths = [(place.name, path) for place in places if place.is_dir() for path in sorted(place.iterdir())]
        paths += [("roster", self._archive.roster)] if self._archive.roster.is_file() else []
        paths += [("table", self._part(name)) for name in TABLES if self._part(name).is_file()]
        paths += [("log", path) for path in self._log]
        lessons = sorted({lesson for lessons in self._lessons_of.values() for lesson in lessons})
        return Held(tuple(sorted(self._lessons_of)), tuple(lessons), tuple(paths))

    def remove(self, held: Held) -> None:
        """Remove everything in `held`, the gradebook's data first.

        Raises:
            CourseError: something cannot be removed. Everything before it is gone.
        """
        if held.students:
            with Records(self._url, "") as records:
                records.remove(held.students)
        if held.row:
            text = text_of(self._archive.roster, "roster", as_written=True)
            write_whole(self._archive.roster, without_member(text, held.row))
        for path, student in held.rows:
            write_whole(path, self._without(path, student)[0])
        for _, path in held.paths:
            try:
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)
                else:
                    path.unlink(missing_ok=True)
            except OSError as error:
                raise CourseError(f"{path} cannot be removed: {error.strerror}. Run it again afterwards.") from None

    def _without(self, path: Path, student: str) -> tuple[str, int]:
        """Read a table without a student's rows. A table of labels may name the student in any of several ways."""

        def is_meant(said: str) -> bool:
            meant = self._roster.meant(said) if self._roster and said and path.name == "labels.csv" else ()
            return said in (student, harmless(student)) or [member.id for member in meant] == [student]

        return without_rows(path, is_meant)

    def _folders(self) -> list[Path]:
        return [self._part(part) for part in BY_STUDENT]

    def _part(self, part: str) -> Path:
        return self._archive.folder / part

    @property
    def _log(self) -> list[Path]:
        return [path for path in (self._part(class_log.NAME),) if path.is_file()]

    def _files(self, part: str) -> list[Path]:
        return sorted(path for path in self._part(part).rglob("*") if path.is_file())

    def _gradebook(self) -> dict[str, list[str]]:
        if (file := file_of(self._url)) and not file.is_file():
            return {}  # opening it would create one
        with Records(self._url, "") as records:
            return records.everyone()


def without_rows(path: Path, is_meant: Callable[[str], bool]) -> tuple[str, int]:
    """Return a table's text without the rows of a student, and how many those are.

    Args:
        is_meant: whether a cell names the student.

    Raises:
        CourseError: the table cannot be read.
    """
    try:
        lines = list(io.StringIO(path.read_text(encoding="utf-8-sig"), newline=""))
        rows = list(csv.reader(lines, delimiter=max(",;\t", key=lines[0].count))) if lines else []
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise CourseError(f"{path} cannot be read: {error}. Save it as CSV in UTF-8.") from None
    names = [name.strip() for name in rows[0]] if rows else []
    column = next((names.index(name) for name in _COLUMNS if name in names), None)
    if column is None:
        return "".join(lines), 0
    kept = [row for row in rows if not (len(row) > column and is_meant(row[column].strip()))]
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(kept)
    return out.getvalue(), len(rows) - len(kept)


def _exists(path: Path) -> bool:
    """Return whether a path exists, even as a broken link."""
    return os.path.lexists(path)


def _is_name(student: str) -> bool:
    """Return whether a folder can have this name, because a gradebook may have a student called ``..`` or ``""``."""
    return student not in ("", ".", "..") and "/" not in student and "\0" not in student


def _names(path: Path, student: str) -> bool:
    """Return whether a page or a table contains a student's name. A chance match does no harm: it can be made again."""
    text = path.read_text(encoding="utf-8", errors="replace")
    return any(name in text for name in _as_written(student))


def _as_written(student: str) -> Iterator[str]:
    yield student
    yield str(markupsafe.escape(student))
    yield json.dumps(student, ensure_ascii=True)[1:-1]
    yield json.dumps(student, ensure_ascii=False)[1:-1]


def size_of(paths: Iterable[Path]) -> tuple[int, int]:
    """Return the number of files and their total size in bytes."""
    files = [each for path in paths for each in ([path] if not path.is_dir() else path.rglob("*")) if each.is_file()]
    return len(files), sum(file.stat().st_size for file in files)
