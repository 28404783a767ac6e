"""Whose a downloaded file is: what Canvas, Moodle, folders and its own name say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from autograder.collecting.roster import Roster
from autograder.grading.submissions import submission_in
from course_lib.contents import public_exercises

#: Moodle: a folder, or a file's beginning, for each student
MOODLE = re.compile(r"^(?P<name>.+?)_(?P<number>\d+)_assignsubmission_(?:file|onlinetext)_?(?P<file>.*)$")
#: Canvas: the student's name without spaces, whether it was late, the student's number, the file's
CANVAS = re.compile(r"^(?P<name>[^_]+)_(?P<late>LATE_)?(?P<number>\d+)_(?P<file_number>\d+)_(?P<file>.+)$")
#: what browsers and systems append where a name is taken already: (2), -2
_COPY = re.compile(r"(?:\s*\((?P<bracketed>\d{1,9})\)|-(?P<dashed>\d{1,2}))$")


def whose(path: PurePosixPath, roster: Roster | None) -> tuple[str, str]:
    """The student's id, and a remark: why it cannot be told, or that Canvas calls it late.

    Where Canvas or Moodle say it, nothing else is asked: what a student called a file must not make it another's.
    """
    if label := label_of(path, roster):
        students = students_called(label, roster)
        if len(students) == 1 and students[0]:
            return students[0], "Canvas calls it late" if label.late else ""
        return "", f"{label.name} may be {' or '.join(students)}" if students else "nobody on the roster is called so"
    folders = _folders(path)
    if roster is None:
        folders = [part for part in folders if not _is_zip(part)]
        if any(CANVAS.match(part) or MOODLE.match(part) for part in path.parts):
            return "", f"it looks like Canvas's or Moodle's, and lies in {folders[0]}: collect that, or give a roster"
        student = as_id(folders[0]) if len(folders) == 1 else ""
        said = f"its folders {', '.join(folders)} may each be of a student's name: give a roster"
        if len(folders) < 2:
            said = "its name does not tell whose it is: give a roster, or put it into a folder of the student's name"
        return student, "" if student else said
    for name in (*map(_stem, folders), *_names_in(path)):
        members = roster.called(name)
        if len(members) == 1:
            return next(iter(members)).id, ""
        if members:
            return "", f"{name} may be {' or '.join(sorted(member.id for member in members))}"
    return "", "nobody on the roster is called so"


@dataclass(frozen=True)
class Label:
    """What Canvas or Moodle say of whose a file is.

    Attributes:
        place: the folder or zip in which they say it.
        number: of the student: Canvas's own, and Moodle's in this one assignment.
        file_number: Canvas's, of the file; empty for Moodle.
        late: what Canvas puts before the number of one who was late.
    """

    place: PurePosixPath
    name: str
    number: str
    file_number: str = ""
    late: str = ""


def label_of(path: PurePosixPath, roster: Roster | None) -> Label | None:
    """The outermost label in a path, if it lies where Canvas or Moodle put it: what a student may have named is none.

    Below a folder of a student's name, all names are the student's. Without a roster, any folder may be of that kind.
    """
    for part, folder in zip(path.parts, reversed(path.parents), strict=True):
        is_folder = folder != path.parent
        if is_folder and roster is not None and roster.called(_stem(part)):
            return None
        if label := _label(part, folder):
            return label
        if is_folder and roster is None and not _is_zip(part) and part not in _lessons():
            return None
    return None


def _label(part: str, place: PurePosixPath) -> Label | None:
    if canvas := CANVAS.match(part):
        return Label(place, canvas["name"], canvas["number"], canvas["file_number"], canvas["late"] or "")
    if moodle := MOODLE.match(part):
        return Label(place, moodle["name"], moodle["number"])
    return None


def students_called(label: Label, roster: Roster | None) -> list[str]:
    """The ids of those who may be meant."""
    if roster is None:
        return [as_id(label.name)]
    members = (label.file_number and roster.numbered(label.number)) or roster.called(label.name)
    return sorted(member.id for member in members)


def namesakes(paths: Iterable[PurePosixPath], roster: Roster | None) -> str:
    """Several people, where one place has several numbers for what we take for one student; else nothing."""
    numbers: dict[PurePosixPath, set[str]] = {}
    for label in filter(None, (label_of(path, roster) for path in paths)):
        numbers.setdefault(label.place, set()).add(label.number)
    several = max(numbers.values(), key=len, default=set())
    return f"number {' or '.join(sorted(several))}: put each into a folder of the id" if len(several) > 1 else ""


def _folders(path: PurePosixPath) -> list[str]:
    """The folders and zips that a file lies in, but for those that have a lesson's name."""
    lessons = _lessons()
    return [part for part in path.parts[:-1] if part not in lessons]


def _lessons() -> set[str]:
    return {entry.lesson for entry in public_exercises()}


def _is_zip(part: str) -> bool:
    return part.lower().endswith(".zip")


def _stem(folder: str) -> str:
    """A folder's name, or a zip's without what tells that it is one."""
    return folder[:-4] if _is_zip(folder) else folder


def is_nbgraders(folder: PurePosixPath, student: str, roster: Roster | None) -> bool:
    """Whether a folder is the one that nbgrader makes for a student, not one that the student made in it.

    In its path, one folder may have a lesson's name: a second one is the student's.
    """

    def is_theirs(name: str) -> bool:
        return as_id(name) == student if roster is None else {m.id for m in roster.called(name)} == {student}

    folders = _folders(folder / "x")
    lessons = len(folder.parts) - len(folders)
    if not folders or _is_zip(folders[-1]) or lessons > 1 or label_of(folder / "x", roster):
        return False
    theirs = [is_theirs(_stem(name)) for name in folders]
    return theirs[-1] and sum(theirs) == 1


def _names_in(path: PurePosixPath) -> Iterator[str]:
    """Everything in a file's own name that may tell whose it is, the surest first."""
    stem = _COPY.sub("", path.stem)
    yield stem
    for lesson in _lessons():
        stem = stem.replace(lesson, " ")
    words = [word for word in re.split(r"[\s_.\-+()]+", stem) if word]
    for length in (3, 2, 1):  # a name of several words first
        for start in range(len(words) - length + 1):
            yield " ".join(words[start : start + length])


def as_id(name: str) -> str:
    """A student's name as one that a folder can have."""
    return submission_in(name.replace("/", "-").lstrip("."), Path(name)).student


def copy_number(path: PurePosixPath) -> int:
    """Which of several of one name it is, by what browsers append: 2 of *x (2).ipynb*."""
    found = _COPY.search(path.stem)
    return int(found["bracketed"] or found["dashed"]) if found else 0
