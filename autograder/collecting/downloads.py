"""What lies in a folder or a zip of downloads: plain files, read in memory and never unpacked onto the disk."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from autograder.grading.submission_time import LONGEST_TIME, TIME, read_time
from autograder.grading.submissions import read_plain
from course_lib.course import CourseError

#: the most bytes of one file: outputs are dropped before a notebook's own limit counts
LARGEST = 100_000_000
#: the most files of one zip, of one in it, which somebody handed in, and zips in zips
_MOST_FILES, _MOST_INNER_FILES, _DEEPEST = 100_000, 1_000, 2
#: the most characters of a name in a zip, with its folders
_LONGEST_NAME = 500
#: how Canvas, Moodle and systems pack; what other ways unpack cannot be bounded while it is
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
#: what a file becomes as soon as it is read: there may be more of them than memory
Kept = Callable[[bytes], bytes]
#: the most bytes that one byte of a zip may become: text shrinks to a hundredth, a bomb to a thousandth
_MOST_SHRUNK = 300


@dataclass(frozen=True)
class Download:
    """A file among the downloads.

    Attributes:
        path: from the downloads' folder on; what is in a zip stands under the zip's name.
        data: what was kept of a notebook; None where that cannot be had, and ``problem`` says why.
        times: when it was handed in, by each folder that says so, the outermost first: nbgrader's ``timestamp.txt``.
    """

    path: PurePosixPath
    data: bytes | None
    problem: str = ""
    times: tuple[tuple[PurePosixPath, str], ...] = ()


def downloads(place: Path, kept: Kept = lambda data: data) -> Iterator[Download]:
    """Every file of a folder or a zip, by path. Hidden ones and links are passed over.

    Args:
        kept: what of a notebook stays in memory; of other files nothing does.

    Raises:
        CourseError: there is nothing at that place, or it is neither a folder nor a zip.
    """
    if place.is_dir():
        found = _in_folder(place, kept)
    elif zipfile.is_zipfile(place):
        found = _in_zip(place.read_bytes(), PurePosixPath(), 0, kept)
    elif place.exists():
        raise CourseError(f"{place} is neither a folder nor a zip.")
    else:
        raise CourseError(f"There is nothing at {place}.")
    files = sorted((one for one in found if not _hidden(one.path)), key=lambda one: one.path)
    times = {one.path.parent: str(read_time(one.data).time or "") for one in files if one.path.name == TIME}
    for one in files:
        if one.path.name != TIME:
            said = ((folder, times.get(folder, "")) for folder in reversed(one.path.parents))
            yield Download(one.path, one.data, one.problem, tuple((folder, time) for folder, time in said if time))


def _in_folder(place: Path, kept: Kept) -> Iterator[Download]:
    for folder, _, names in os.walk(place):
        for name in names:
            path = Path(folder, name)
            within = PurePosixPath(path.relative_to(place).as_posix())
            data = read_plain(path, LARGEST + 1)
            if data is not None:
                yield from _file(within, data, min(len(within.parts) - 1, 1), kept)  # in a folder, it is a student's


def _file(path: PurePosixPath, data: bytes, depth: int, kept: Kept) -> Iterator[Download]:
    if len(data) > LARGEST:
        yield Download(path, None, f"it is larger than {LARGEST // 1_000_000} MB")
    elif path.suffix.lower() == ".zip":
        yield from _in_zip(data, path, depth, kept)
    elif path.suffix.lower() == ".ipynb":
        yield Download(path, kept(data))
    else:
        yield Download(path, data[: 4 * LONGEST_TIME + 1])


def _in_zip(data: bytes, at: PurePosixPath, depth: int, kept: Kept) -> Iterator[Download]:
    if depth >= _DEEPEST:
        yield Download(at, None, "it is a zip in a student's zip")
        return
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            most = _MOST_INNER_FILES if depth else _MOST_FILES
            if len(entries) > most:
                raise zipfile.BadZipFile(f"it holds more than {most:,} files")
            if depth and sum(entry.file_size for entry in entries) > LARGEST:
                raise zipfile.BadZipFile(f"it would unpack to more than {LARGEST // 1_000_000} MB")
            for entry in entries:
                path = at / "/".join(part for part in PurePosixPath(entry.filename).parts if part not in ("/", ".."))
                if len(entry.filename) > _LONGEST_NAME:
                    yield Download(at / path.name[:50], None, "its name is longer than any file's")
                else:
                    yield from _entry(archive, entry, path, depth, kept)
    except Exception as error:  # whatever a zip is, it must not cost the others their notebooks
        yield Download(at, None, f"the zip cannot be read: {_said(error)}")


def _entry(
    archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: PurePosixPath, depth: int, kept: Kept
) -> Iterator[Download]:
    if entry.file_size > max(1_000_000, _MOST_SHRUNK * entry.compress_size):
        yield Download(path, None, "it would unpack to far more than any notebook")
        return
    if entry.compress_type not in _PACKED:
        yield Download(path, None, "it is packed in a way that no download is: pack it again")
        return
    try:
        with archive.open(entry) as file:
            data = file.read(min(LARGEST, entry.file_size) + 1)
    except Exception as error:  # nor one file of it the others
        yield Download(path, None, f"it cannot be unpacked: {_said(error)}")
        return
    yield from _file(path, data, depth + 1, kept)


def _said(error: Exception) -> str:
    return str(error)[:100] or type(error).__name__


def _hidden(path: PurePosixPath) -> bool:
    return any(part.startswith(".") or part == "__MACOSX" for part in path.parts)
