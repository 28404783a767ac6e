"""What lies in a folder or a zip of downloads: plain files, read in memory and never unpacked onto the disk."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from autograder.grading.submissions import TIME, read_plain, time_in
from course_lib.course import CourseError

#: the most bytes of one file: outputs are dropped before a notebook's own limit counts
LARGEST = 200_000_000
#: the most files of one zip, and zips in zips
_MOST_FILES, _DEEPEST = 100_000, 2
#: the most bytes that one byte of a zip may become: text shrinks to a hundredth, a bomb to a thousandth
_MOST_SHRUNK = 300


@dataclass(frozen=True)
class Download:
    """A file among the downloads.

    Attributes:
        path: from the downloads' folder on; what is in a zip stands under the zip's name.
        data: what it holds; None where that cannot be had, and ``problem`` says why.
        time: when it was handed in, if something says so: nbgrader's ``timestamp.txt`` beside it, unless the student
            may have written that, in a zip or a folder of what was handed in.
    """

    path: PurePosixPath
    data: bytes | None
    problem: str = ""
    time: str = ""


def downloads(place: Path) -> Iterator[Download]:
    """Every file of a folder or a zip, by path. Hidden ones and links are passed over.

    Raises:
        CourseError: there is nothing at that place, or it is neither a folder nor a zip.
    """
    if place.is_dir():
        found = _in_folder(place)
    elif zipfile.is_zipfile(place):
        found = _in_zip(place.read_bytes(), PurePosixPath(), 0)
    elif place.exists():
        raise CourseError(f"{place} is neither a folder nor a zip.")
    else:
        raise CourseError(f"There is nothing at {place}.")
    files = sorted((one for one in found if not _hidden(one.path)), key=lambda one: one.path)
    said = (one for one in files if one.path.name == TIME and not _by_student(one.path))
    times = {one.path.parent: str(time_in(one.data) or "") for one in said}
    for one in files:
        if one.path.name != TIME:
            yield Download(one.path, one.data, one.problem, times.get(one.path.parent, ""))


def _in_folder(place: Path) -> Iterator[Download]:
    for folder, _, names in os.walk(place):
        for name in names:
            path = Path(folder, name)
            within = PurePosixPath(path.relative_to(place).as_posix())
            data = read_plain(path, LARGEST + 1)
            if data is not None:
                yield from _file(within, data, 0)


def _file(path: PurePosixPath, data: bytes, depth: int) -> Iterator[Download]:
    if len(data) > LARGEST:
        yield Download(path, None, f"it is larger than {LARGEST // 1_000_000} MB")
    elif path.suffix.lower() == ".zip":
        yield from _in_zip(data, path, depth)
    else:
        yield Download(path, data)


def _in_zip(data: bytes, at: PurePosixPath, depth: int) -> Iterator[Download]:
    if depth >= _DEEPEST:
        yield Download(at, None, "it is a zip in a zip in a zip")
        return
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            if len(entries) > _MOST_FILES:
                raise zipfile.BadZipFile(f"it holds more than {_MOST_FILES:,} files")
            for entry in entries:
                path = at / "/".join(part for part in PurePosixPath(entry.filename).parts if part not in ("/", ".."))
                if entry.file_size > max(1_000_000, _MOST_SHRUNK * entry.compress_size):
                    yield Download(path, None, "it would unpack to far more than any notebook")
                    continue
                with archive.open(entry) as file:
                    yield from _file(path, file.read(LARGEST + 1), depth + 1)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError) as error:
        yield Download(at, None, f"the zip cannot be read: {str(error) or type(error).__name__}")


def _by_student(path: PurePosixPath) -> bool:
    """Whether it may be a student's own: it lies in a zip among the downloads, or in a student's folder of Moodle's."""
    return any(part.lower().endswith(".zip") or "_assignsubmission_" in part for part in path.parent.parts)


def _hidden(path: PurePosixPath) -> bool:
    return any(part.startswith(".") or part == "__MACOSX" for part in path.parts)
