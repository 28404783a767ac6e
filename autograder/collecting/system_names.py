"""The names that Canvas and Moodle give to what they let instructors download."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from course_lib.contents import public_exercises

#: Moodle: a folder, or a file's beginning, for each student
MOODLE = re.compile(r"^(?P<name>.+?)_(?P<number>\d+)_assignsubmission_(?:file|onlinetext)_?(?P<file>.*)$")
#: Canvas: the student's name without spaces, whether it was late, the student's number, the file's
CANVAS = re.compile(r"^(?P<name>[^_]+)_(?P<late>LATE_)?(?P<number>\d+)_(?P<file_number>\d+)_(?P<file>.+)$")
#: and where it marks anonymously
_ANONYMOUS = re.compile(
    r"^(?P<name>anon)_(?P<late>LATE_)?(?P<number>[A-Za-z0-9]{5})_(?P<file_number>\d+)_(?P<file>.+)$"
)
#: how a file's name goes on if the number before it was part of the student's name; Canvas's numbers have no leading 0
_ANOTHER_NUMBER = re.compile(r"[1-9]\d*_")


@dataclass(frozen=True)
class Label:
    """What Canvas or Moodle say of whose a file is.

    Attributes:
        place: the folder or archive in which they say it.
        number: of the student: Canvas's own, and Moodle's in this one assignment.
        file_number: Canvas's, of the file; empty for Moodle.
        late: what Canvas puts before the number of one who was late.
        file: what follows: what the student called the file.
    """

    place: PurePosixPath
    name: str
    number: str
    file_number: str = ""
    late: str = ""
    file: str = ""

    @property
    def doubt(self) -> str:
        """Why the number may be part of a display name: another number follows where the file's name begins."""
        canvas = self.file_number and _ANOTHER_NUMBER.match(self.file) and not self.file.startswith(_lessons())
        if canvas or (not self.file_number and MOODLE.match(f"-{self.file}")):
            return f"the number {self.number} may be part of a name that the student chose: see whose it is"
        return ""

    @property
    def source(self) -> str:
        """Who handed in, as the system numbers people; Moodle's numbers count in one place only."""
        where = "Canvas" if self.file_number else f"Moodle: {self.place}"
        return f"{where}: {self.number}{' in doubt' if self.doubt else ''}"


def _lessons() -> tuple[str, ...]:
    return tuple(entry.lesson for entry in public_exercises())


def label_in(part: str, place: PurePosixPath) -> Label | None:
    """What a folder's or file's name says, if Canvas or Moodle gave it."""
    if found := _ANONYMOUS.match(part) or CANVAS.match(part):
        return Label(place, found["name"], found["number"], found["file_number"], found["late"] or "", found["file"])
    if moodle := MOODLE.match(part):
        return Label(place, moodle["name"], moodle["number"], file=moodle["file"])
    return None


def namesakes(labels: Iterable[Label | None]) -> str:
    """Several people, where one place has several numbers for what we take for one student; else nothing."""
    numbers: dict[PurePosixPath, set[str]] = {}
    for label in filter(None, labels):
        numbers.setdefault(label.place, set()).add(label.number)
    several = max(numbers.values(), key=len, default=set())
    return f"number {' or '.join(sorted(several))}: put each into a folder of the id" if len(several) > 1 else ""
