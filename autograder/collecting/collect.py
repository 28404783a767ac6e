"""Collecting a lesson: of all files among the downloads one notebook for each student; what became of the others."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from autograder.collecting.downloads import Download, downloads
from autograder.collecting.roster import Member, Roster
from autograder.grading.rebuild import LARGEST
from autograder.grading.submissions import read_plain, submission_in
from autograder.records.archive import write_whole
from course_lib.checking.formatting import printable
from course_lib.contents import public_exercises
from course_lib.version import __version__

Became = Literal["new", "replaced", "same", "older", "another lesson", "nobody's", "unreadable", "helper"]

#: the ones of which something lies in the class's folder afterwards
COLLECTED = ("new", "replaced", "same")

#: Moodle: a folder, or a file's beginning, for each student
MOODLE = re.compile(r"^(?P<name>.+?)_(?P<number>\d+)_assignsubmission_(?:file|onlinetext)_?(?P<file>.*)$")
#: Canvas: the student's name without spaces, whether it was late, the student's number, the file's
CANVAS = re.compile(r"^(?P<name>[^_]+)_(?P<late>LATE_)?(?P<number>\d+)_(?P<file_number>\d+)_(?P<file>.+)$")
#: what browsers and systems append where a name is taken already: (2), -2
_COPY = re.compile(r"(?:\s*\((?P<bracketed>\d{1,9})\)|-(?P<dashed>\d{1,2}))$")
#: lists and mappings of a notebook; more of them take gigabytes when they are read
_MOST_BRACKETS = 2_000_000


@dataclass(frozen=True)
class Fate:
    """What became of one file.

    Attributes:
        path: among the downloads.
        student: whose it is; empty where that cannot be told.
        note: what else there is to say.
    """

    path: PurePosixPath
    student: str
    became: Became
    note: str = ""


@dataclass(frozen=True)
class _Found:
    """A notebook, whose it is, and which of several of one student's it is."""

    download: Download
    student: str
    text: str
    note: str
    copy: int


def collect(place: Path, lesson: str, submitted: Path, roster: Roster | None = None) -> list[Fate]:
    """Put each student's notebook where grading looks for it: ``<submitted>/<student>/<lesson>/<lesson>.ipynb``.

    Outputs are dropped. What lies there already and differs is replaced, unless a time says that it is newer.

    Args:
        place: a folder or a zip: nbgrader's folders, a zip from Canvas or Moodle, or files whose names tell whose they
            are.
        roster: without it, only folders and the names that Canvas and Moodle give tell whose a file is.

    Raises:
        CourseError: nothing can be read at that place, or nothing written in the class's folder.
    """
    fates: list[Fate] = []
    candidates: dict[str, list[_Found]] = {}
    for download in downloads(place, without_outputs):
        student, note = whose(download.path, roster)
        if download.path.suffix.lower() != ".ipynb":
            fates.append(Fate(download.path, student, "unreadable" if download.problem else "helper", download.problem))
        elif download.data is None:
            fates.append(Fate(download.path, student, "unreadable", download.problem))
        elif not student:
            fates.append(Fate(download.path, "", "nobody's", note))
        else:
            data = download.data
            theirs, said = _about(data)
            if theirs not in ("", lesson):
                fates.append(Fate(download.path, student, "another lesson", f"it is {theirs}"))
                continue
            if not _is_nbgraders(download.path.parent, student, roster):
                download = replace(download, time="")  # noqa: PLW2901 - the student may have put it there
            text = data.decode("utf-8", "replace")
            found = _Found(download, student, text, "; ".join(filter(None, [note, said])), copy_number(download.path))
            candidates.setdefault(student, []).append(found)
    for student, theirs_all in candidates.items():
        if several := namesakes(found.download.path for found in theirs_all):
            fates += [Fate(found.download.path, "", "nobody's", f"{student} may be {several}") for found in theirs_all]
            continue
        theirs_all.sort(key=lambda found: (found.download.time, found.copy, found.download.path))
        *others, last = theirs_all
        fates.append(_put(last, lesson, submitted))
        fates += [Fate(o.download.path, o.student, "older", f"{last.download.path} is taken") for o in others]
    return sorted(fates, key=lambda fate: fate.path)


def absent(lesson: str, submitted: Path, roster: Roster) -> list[Member]:
    """Who is on the roster and has handed nothing in, by now."""
    return [m for m in roster.members if not (submitted / m.id / lesson / f"{lesson}.ipynb").is_file()]


def whose(path: PurePosixPath, roster: Roster | None) -> tuple[str, str]:
    """The student's id, and a remark: why it cannot be told, or that Canvas calls it late.

    Where Canvas or Moodle say it, nothing else is asked: what a student called a file must not make it another's.
    """
    if label := label_of(path):
        students = students_called(label, roster)
        if len(students) == 1 and students[0]:
            return students[0], "Canvas calls it late" if label.late else ""
        return "", f"{label.name} may be {' or '.join(students)}" if students else "nobody on the roster is called so"
    folders = [part for part in _folders(path) if not part.lower().endswith(".zip")]
    if roster is None:
        student = as_id(folders[0]) if len(folders) == 1 else ""
        said = f"its folders {', '.join(folders)} may each be of a student's name: give a roster"
        if len(folders) < 2:
            said = "its name does not tell whose it is: give a roster, or put it into a folder of the student's name"
        return student, "" if student else said
    for name in (*folders, *_names_in(path)):
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


def label_of(path: PurePosixPath) -> Label | None:
    """The outermost label in a path: whatever is below it, a student may have named."""
    for part, folder in zip(path.parts, reversed(path.parents), strict=True):
        if canvas := CANVAS.match(part):
            return Label(folder, canvas["name"], canvas["number"], canvas["file_number"], canvas["late"] or "")
        if moodle := MOODLE.match(part):
            return Label(folder, moodle["name"], moodle["number"])
    return None


def students_called(label: Label, roster: Roster | None) -> list[str]:
    """The ids of those who may be meant."""
    if roster is None:
        return [as_id(label.name)]
    members = (label.file_number and roster.numbered(label.number)) or roster.called(label.name)
    return sorted(member.id for member in members)


def namesakes(paths: Iterable[PurePosixPath]) -> str:
    """Several people, where one place has several numbers for what we take for one student; else nothing."""
    numbers: dict[PurePosixPath, set[str]] = {}
    for label in filter(None, map(label_of, paths)):
        numbers.setdefault(label.place, set()).add(label.number)
    several = max(numbers.values(), key=len, default=set())
    return f"number {' or '.join(sorted(several))}: put each into a folder of the id" if len(several) > 1 else ""


def _folders(path: PurePosixPath) -> list[str]:
    """The folders and zips that a file lies in, but for those that have a lesson's name."""
    lessons = {entry.lesson for entry in public_exercises()}
    return [part for part in path.parts[:-1] if part not in lessons]


def _is_nbgraders(folder: PurePosixPath, student: str, roster: Roster | None) -> bool:
    """Whether a folder is the one that nbgrader makes for a student, not one that the student made in it."""

    def is_theirs(name: str) -> bool:
        return as_id(name) == student if roster is None else {m.id for m in roster.called(name)} == {student}

    theirs = [is_theirs(name) for name in _folders(folder / "x")]
    return not label_of(folder) and theirs[-1:] == [True] and sum(theirs) == 1


def _names_in(path: PurePosixPath) -> Iterator[str]:
    """Everything in a file's own name that may tell whose it is, the surest first."""
    stem = _COPY.sub("", path.stem)
    yield stem
    for lesson in {entry.lesson for entry in public_exercises()}:
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


def without_outputs(data: bytes) -> bytes:
    """A notebook without outputs, as much of it as grading reads; what cannot be read stays as it is."""
    notebook = _parsed(data)
    if notebook is not None:
        for cell in notebook["cells"]:
            if isinstance(cell, dict) and cell.get("cell_type") == "code":
                cell["outputs"], cell["execution_count"] = [], None
        with contextlib.suppress(RecursionError):
            # without an indent: where lists lie deep, it would take far more than they do
            data = (json.dumps(notebook, ensure_ascii=False) + "\n").encode("utf-8", "replace")
    return data[: LARGEST + 1]


def _parsed(data: bytes) -> dict[str, Any] | None:
    """A notebook; None where it is none."""
    if data.count(b"[") + data.count(b"{") > _MOST_BRACKETS:
        return None
    try:
        notebook = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    return notebook if isinstance(notebook, dict) and isinstance(notebook.get("cells"), list) else None


def _about(data: bytes) -> tuple[str, str]:
    """The lesson that a notebook says it is, and a remark."""
    notebook = _parsed(data)
    if notebook is None:
        return "", "it cannot be read as a notebook; grading will say so"
    metadata = notebook.get("metadata")
    about = metadata.get("course") if isinstance(metadata, dict) else None
    lesson, version = (_word(about.get(name)) if isinstance(about, dict) else "" for name in ("lesson", "version"))
    lesson = lesson or _lesson_of([cell for cell in notebook["cells"] if isinstance(cell, dict)])
    return lesson, f"made from version {version}, this is {__version__}" if version not in ("", __version__) else ""


def _word(said: object) -> str:
    """A name that stands in a notebook, where anything may stand."""
    return printable(said[:60]) if isinstance(said, str) else ""


def _lesson_of(cells: Sequence[dict[str, Any]]) -> str:
    """The lesson whose exercises a notebook without our metadata has; empty where none stands out."""
    lessons = {entry.id: entry.lesson for entry in public_exercises()}
    names = [_grade_id(cell) for cell in cells]
    found = [lessons[name] for name in names if name in lessons]
    return max(sorted(set(found)), key=found.count, default="")


def _grade_id(cell: dict[str, Any]) -> str:
    about = cell.get("metadata")
    nbgrader = about.get("nbgrader") if isinstance(about, dict) else None
    return str(nbgrader.get("grade_id", "")) if isinstance(nbgrader, dict) else ""


def _put(found: _Found, lesson: str, submitted: Path) -> Fate:
    """Write a student's notebook, and the time where one is known."""
    folder = submitted / found.student / lesson
    path, time = folder / f"{lesson}.ipynb", folder / "timestamp.txt"
    fate = Fate(found.download.path, found.student, "new", found.note)
    text = found.text.encode()
    before = read_plain(path, len(text) + 1)
    if before is not None:
        known = (read_plain(time, 100) or b"").decode("utf-8", "replace").strip()
        if found.download.time and known.removesuffix(" UTC") > found.download.time:
            return replace(fate, became="older", note=f"the one collected before is of {known}")
        if before == text:
            return replace(fate, became="same")
        fate = replace(fate, became="replaced")
    write_whole(path, found.text)
    if found.download.time:
        write_whole(time, f"{found.download.time} UTC\n")
    else:
        time.unlink(missing_ok=True)
    return fate
