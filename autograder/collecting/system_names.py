"""Parse the names that Canvas and Moodle give to downloaded files and folders."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from course_lib.contents import public_exercises

#: Moodle's folder for each student, or the beginning of a file's name
MOODLE = re.compile(r"^(?P<name>.+?)_(?P<number>\d+)_assignsubmission_(?:file|onlinetext)_?(?P<file>.*)$")
#: Canvas's file name: the student's name without spaces, a mark if it was late, the student's number, the file's number
CANVAS = re.compile(r"^(?P<name>[^_]+)_(?P<late>LATE_)?(?P<number>\d+)_(?P<file_number>\d+)_(?P<file>.+)$")
#: Canvas's file name in anonymous grading
_ANONYMOUS = re.compile(
    r"^(?P<name>anon)_(?P<late>LATE_)?(?P<number>[A-Za-z0-9]{5})_(?P<file_number>\d+)_(?P<file>.+)$"
)
#: another number after the label, a sign that the first one was part of the student's name. It never begins with a 0
_ANOTHER_NUMBER = re.compile(r"[1-9]\d*_")


@dataclass(frozen=True)
class Label:
    """The owner of a file according to the name that Canvas or Moodle gave it.

    Attributes:
        place: the folder or archive that contains the file or folder with the label.
        name: the student's name, without spaces in Canvas.
        number: the student's number: in Canvas a global one, in Moodle one for this assignment.
        file_number: the file's number in Canvas; empty for Moodle.
        late: the mark that Canvas puts before a late student's number.
        file: the rest of the name, which the student chose.
    """

    place: PurePosixPath
    name: str
    number: str
    file_number: str = ""
    late: str = ""
    file: str = ""

    @property
    def doubt(self) -> str:
        """Return why the number may be part of a display name, namely if another number follows it."""
        canvas = self.file_number and _ANOTHER_NUMBER.match(self.file) and not self.file.startswith(_lessons())
        if canvas or (not self.file_number and MOODLE.match(f"-{self.file}")):
            return f"the number {self.number} may be part of a name that the student chose: see whose it is"
        return ""

    @property
    def source(self) -> str:
        """Identify the account by the system's number. Moodle's numbers are unique only within one folder."""
        where = "Canvas" if self.file_number else f"Moodle: {self.place}"
        return f"{where}: {self.number}{' in doubt' if self.doubt else ''}"


def _lessons() -> tuple[str, ...]:
    return tuple(entry.lesson for entry in public_exercises())


def label_in(part: str, place: PurePosixPath) -> Label | None:
    """Parse a folder's or file's name, if Canvas or Moodle gave it."""
    if found := _ANONYMOUS.match(part) or CANVAS.match(part):
        return Label(place, found["name"], found["number"], found["file_number"], found["late"] or "", found["file"])
    if moodle := MOODLE.match(part):
        return Label(place, moodle["name"], moodle["number"], file=moodle["file"])
    return None


def namesakes(labels: Iterable[Label | None]) -> str:
    """Name the numbers if one folder has several for the same student, because they belong to several people."""
    numbers: dict[PurePosixPath, set[str]] = {}
    for label in filter(None, labels):
        numbers.setdefault(label.place, set()).add(label.number)
    several = max(numbers.values(), key=len, default=set())
    return f"number {' or '.join(sorted(several))}: put each into a folder of the id" if len(several) > 1 else ""
