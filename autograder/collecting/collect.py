"""Collecting a lesson: of all files among the downloads one notebook for each student; what became of the others."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from autograder.collecting.downloads import Download, downloads
from autograder.collecting.roster import Member, Roster
from autograder.grading.submissions import TIME, read_plain, submission_in
from autograder.records.archive import write_whole
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
_COPY = re.compile(r"(?:\s*\((?P<bracketed>\d+)\)|-(?P<dashed>\d{1,2}))$")


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
    for download in downloads(place):
        student, note = whose(download.path, roster)
        if download.path.suffix.lower() != ".ipynb":
            fates.append(Fate(download.path, student, "unreadable" if download.problem else "helper", download.problem))
        elif download.data is None:
            fates.append(Fate(download.path, student, "unreadable", download.problem))
        elif not student:
            fates.append(Fate(download.path, "", "nobody's", note))
        else:
            text, theirs, said = _read(download.data)
            if theirs not in ("", lesson):
                fates.append(Fate(download.path, student, "another lesson", f"it is {theirs}"))
                continue
            found = _Found(download, student, text, "; ".join(filter(None, [note, said])), copy_number(download.path))
            candidates.setdefault(student, []).append(found)
    for theirs_all in candidates.values():
        theirs_all.sort(key=lambda found: (found.download.time, found.copy, found.download.path))
        *others, last = theirs_all
        fates.append(_put(last, lesson, submitted))
        fates += [Fate(o.download.path, o.student, "older", f"{last.download.path} is taken") for o in others]
    return sorted(fates, key=lambda fate: fate.path)


def absent(lesson: str, submitted: Path, roster: Roster) -> list[Member]:
    """Who is on the roster and has handed nothing in, by now."""
    return [m for m in roster.members if not (submitted / m.id / lesson / f"{lesson}.ipynb").is_file()]


def whose(path: PurePosixPath, roster: Roster | None) -> tuple[str, str]:
    """The student's id, and a remark: why it cannot be told, or that Canvas calls it late."""
    note = ""
    for kind, name, number in _labels(path):
        if kind == "late":
            note = "Canvas calls it late"
            continue
        if roster is None:
            if kind in ("folder", "given"):
                return as_id(name), note
            continue
        members = roster.numbered(number) or roster.called(name)
        if len(members) == 1:
            return next(iter(members)).id, note
        if members:
            return "", f"{name} may be {' or '.join(sorted(member.id for member in members))}"
    if roster is None:
        return "", "its name does not tell whose it is: give a roster, or put it into a folder of the student's name"
    return "", "nobody on the roster is called so"


def _labels(path: PurePosixPath) -> Iterator[tuple[str, str, str]]:
    """``(kind, name, number)`` for everything in a path that may tell whose it is, the surest first."""
    stem = _COPY.sub("", path.stem)
    for part in reversed(path.parts):
        if moodle := MOODLE.match(part):
            yield "given", moodle["name"], ""
        elif canvas := CANVAS.match(part):
            if canvas["late"]:
                yield "late", "", ""
            yield "given", canvas["name"], canvas["number"]
    lessons = {entry.lesson for entry in public_exercises()}
    for part in reversed(path.parts[:-1]):
        if part not in lessons and not part.lower().endswith(".zip"):
            yield "folder", part, ""
    yield "stem", stem, ""
    for lesson in lessons:
        stem = stem.replace(lesson, " ")
    words = [word for word in re.split(r"[\s_.\-+()]+", stem) if word]
    for length in (3, 2, 1):  # a name of several words first
        for start in range(len(words) - length + 1):
            yield "words", " ".join(words[start : start + length]), ""


def as_id(name: str) -> str:
    """A student's name as one that a folder can have."""
    return submission_in(name.replace("/", "-").lstrip("."), Path(name)).student


def copy_number(path: PurePosixPath) -> int:
    """Which of several of one name it is, by what browsers append: 2 of *x (2).ipynb*."""
    found = _COPY.search(path.stem)
    return int(found["bracketed"] or found["dashed"]) if found else 0


def _read(data: bytes) -> tuple[str, str, str]:
    """The notebook without outputs, the lesson that it says it is, and a remark; what cannot be read stays as it is."""
    try:
        notebook = json.loads(data.decode("utf-8-sig"))
        cells = [cell for cell in notebook["cells"] if isinstance(cell, dict)]
        about = notebook.get("metadata", {}).get("course", {})
        lesson, version = str(about.get("lesson") or _lesson_of(cells)), str(about.get("version") or "")
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return data.decode("utf-8", "replace"), "", "it cannot be read as a notebook; grading will say so"
    for cell in cells:
        if cell.get("cell_type") == "code":
            cell["outputs"], cell["execution_count"] = [], None
    note = f"made from version {version}, this is {__version__}" if version and version != __version__ else ""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", lesson, note


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
    path, time = folder / f"{lesson}.ipynb", folder / TIME
    fate = Fate(found.download.path, found.student, "new", found.note)
    before = read_plain(path, len(found.text.encode("utf-8", "replace")) + 1)
    if before is not None:
        known = (read_plain(time, 100) or b"").decode("utf-8", "replace").strip()
        if found.download.time and known.removesuffix(" UTC") > found.download.time:
            return replace(fate, became="older", note=f"the one collected before is of {known}")
        if before == found.text.encode("utf-8", "replace"):
            return replace(fate, became="same")
        fate = replace(fate, became="replaced")
    write_whole(path, found.text.encode("utf-8", "replace").decode("utf-8"))
    if found.download.time:
        write_whole(time, f"{found.download.time} UTC\n")
    else:
        time.unlink(missing_ok=True)
    return fate
