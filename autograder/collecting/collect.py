"""Collecting a lesson: of all files among the downloads one notebook for each student; what became of the others."""

from __future__ import annotations

import contextlib
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from autograder.collecting.downloads import Download, downloads
from autograder.collecting.releases import Release
from autograder.collecting.roster import Member, Roster
from autograder.collecting.whose import copy_number, is_nbgraders, namesakes, whose
from autograder.grading.submission_time import TIME
from autograder.grading.submissions import read_plain
from autograder.records.archive import write_whole
from course_lib.checking.formatting import printable
from course_lib.contents import public_exercises
from course_lib.running.notebook_file import LARGEST, read_json
from course_lib.version import __version__

Became = Literal["new", "replaced", "same", "older", "another lesson", "nobody's", "unreadable", "helper"]

#: the folder of a release that holds its own notebooks: whoever hands in the whole release has not written those
_LIBRARY = "course_lib"
#: the ones of which something lies in the class's folder afterwards
COLLECTED = ("new", "replaced", "same")


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
    """A notebook, whose it is, when it was handed in, and which of several of one student's it is."""

    download: Download
    student: str
    time: str
    note: str
    copy: int


def collect(
    place: Path, lesson: str, submitted: Path, roster: Roster | None = None, released: Path | None = None
) -> list[Fate]:
    """Put each student's notebook where grading looks for it: ``<submitted>/<student>/<lesson>/<lesson>.ipynb``.

    Outputs are dropped. What lies there already and differs is replaced, unless a time says that it is newer.

    Args:
        place: a folder or a zip: nbgrader's folders, a zip from Canvas or Moodle, or files whose names tell whose they
            are.
        roster: without it, only folders and the names that Canvas and Moodle give tell whose a file is.
        released: the lesson's notebook as it is built; one that was made from another is remarked on.

    Raises:
        CourseError: nothing can be read at that place, or nothing written in the class's folder.
    """
    built = _parsed(released.read_bytes()) if released and released.is_file() else None
    release = Release(_cells(built)) if built else None
    fates: list[Fate] = []
    candidates: dict[str, list[_Found]] = {}
    for download in downloads(place, _kept):
        student, note = whose(download.path, roster)
        if _LIBRARY in download.path.parts[:-1]:
            fates.append(Fate(download.path, student, "helper", "it is of the library that was handed out"))
        elif download.path.suffix.lower() != ".ipynb":
            became: Became = "unreadable" if download.problem else "helper"
            fates.append(Fate(download.path, student, became, download.problem or "it is no notebook"))
        elif download.data is None:
            fates.append(Fate(download.path, student, "unreadable", download.problem))
        elif not student:
            fates.append(Fate(download.path, "", "nobody's", note))
        else:
            data = zlib.decompress(download.data)
            theirs, said = _about(data, release)
            if theirs not in ("", lesson):
                fates.append(Fate(download.path, student, "another lesson", f"it is {theirs}"))
                continue
            # any other folder may be the student's, who could say there what they like
            time = next((time for folder, time in download.times if is_nbgraders(folder, student, roster)), "")
            found = _Found(download, student, time, "; ".join(filter(None, [note, said])), copy_number(download.path))
            candidates.setdefault(student, []).append(found)
    for student, theirs_all in candidates.items():
        if several := namesakes((found.download.path for found in theirs_all), roster):
            fates += [Fate(found.download.path, "", "nobody's", f"{student} may be {several}") for found in theirs_all]
            continue
        theirs_all.sort(key=lambda found: (found.time, found.copy, found.download.path))
        *others, last = theirs_all
        fates.append(_put(last, lesson, submitted))
        fates += [Fate(o.download.path, o.student, "older", f"{last.download.path} is taken") for o in others]
    return sorted(fates, key=lambda fate: fate.path)


def absent(lesson: str, submitted: Path, roster: Roster) -> list[Member]:
    """Who is on the roster and has handed nothing in, by now."""
    return [m for m in roster.members if not (submitted / m.id / lesson / f"{lesson}.ipynb").is_file()]


def _kept(data: bytes) -> bytes:
    """What of a notebook stays in memory until the newest of each student is known, packed: it takes what it took."""
    return zlib.compress(without_outputs(data), 1)


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
    try:
        notebook = read_json(data)
    except ValueError:
        return None
    return notebook if isinstance(notebook, dict) and isinstance(notebook.get("cells"), list) else None


def _about(data: bytes, release: Release | None) -> tuple[str, str]:
    """The lesson that a notebook says it is, and a remark."""
    notebook = _parsed(data)
    if notebook is None:
        return "", "it cannot be read as a notebook; grading will say so"
    metadata = notebook.get("metadata")
    about = metadata.get("course") if isinstance(metadata, dict) else None
    lesson, version = (_word(about.get(name)) if isinstance(about, dict) else "" for name in ("lesson", "version"))
    lesson = lesson or _lesson_of(_cells(notebook))
    if version not in ("", __version__):
        return lesson, f"made from version {version}, this is {__version__}"
    return lesson, release.remark(_cells(notebook)) if release else ""


def _cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """What of a notebook's cells is one."""
    return [cell for cell in notebook["cells"] if isinstance(cell, dict)]


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
    path, time = folder / f"{lesson}.ipynb", folder / TIME
    fate = Fate(found.download.path, found.student, "new", found.note)
    text = zlib.decompress(found.download.data or b"").decode("utf-8", "replace")
    encoded = text.encode()
    before = read_plain(path, len(encoded) + 1)
    if before is not None:
        known = (read_plain(time, 100) or b"").decode("utf-8", "replace").strip()
        if found.time and known.removesuffix(" UTC") > found.time:
            return replace(fate, became="older", note=f"the one collected before is of {known}")
        if before == encoded:
            return replace(fate, became="same")
        fate = replace(fate, became="replaced")
    write_whole(path, text)
    if found.time:
        write_whole(time, f"{found.time} UTC\n")
    else:
        time.unlink(missing_ok=True)
    return fate
