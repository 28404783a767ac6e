"""Read the plain files in a folder or an archive of downloads, without unpacking anything onto the disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from autograder.class_folder.graders import other_user
from autograder.collecting.archives import (
    LARGEST,
    Member,
    is_archive,
    is_archives_name,
    is_hidden,
    members,
    named_archive,
)
from autograder.collecting.system_names import label_in
from autograder.submissions.plain_files import PlainFile, PlainFiles
from autograder.submissions.submission import NOTES
from autograder.submissions.submission_time import LONGEST_TIME, TIME, HandedIn, read_time
from course_lib.course import CourseError
from course_lib.running.notebook_file import decode

#: reduces a notebook as soon as it is read, because all of them together may not fit into memory
Kept = Callable[[bytes], bytes]
#: Gradescope's list of the owners of an export's folders
METADATA = "submission_metadata.yml"
_LARGEST_METADATA = 20_000_000
#: the most files and folders in one folder of the downloads, and the most bytes in it. It may hold a whole class
_MOST_NAMES, _MOST_BYTES = 100_000, 1_000_000_000
_TOO_MUCH = "the rest was not read. Collect that folder by itself"


@dataclass(frozen=True)
class Download:
    """A file among the downloads.

    Attributes:
        path: the path relative to the downloads' folder. A path in an archive follows the archive's name.
        data: what was kept of a notebook, or the beginning of another file; None if it cannot be read.
        is_notebook: whether the file's name or its content is a notebook's.
        problem: why the file cannot be read, or what it is instead of a notebook.
        times: the submission time in each folder's ``timestamp.txt`` (an nbgrader file), outermost folder first.
        owner: the number of the user to whom the file on the disk belongs, if it was read from a folder.
    """

    path: PurePosixPath
    data: bytes | None
    is_notebook: bool = False
    problem: str = ""
    times: tuple[tuple[PurePosixPath, HandedIn], ...] = ()
    owner: int | None = None


def downloads(place: Path, kept: Kept = lambda data: data) -> Iterator[Download]:
    """Yield every file of a folder or an archive, sorted by path. Skip hidden files, and links on the disk.

    Args:
        kept: reduces a notebook to what stays in memory. Of other files, only the beginning stays.

    Raises:
        CourseError: the path does not exist, or is neither a folder nor an archive.
    """
    if place.is_dir():
        found = _in_folder(place, kept)
    elif place.is_file() and is_archive(PurePosixPath(place.name), b""):
        found = (_download(one, kept) for one in members(place.read_bytes(), PurePosixPath(), is_students=False))
    elif place.exists():
        raise CourseError(f"{place} is neither a folder nor a zip or tar archive.")
    else:
        raise CourseError(f"There is nothing at {place}.")
    files = sorted((one for one in found if not is_hidden(one.path)), key=lambda one: one.path)
    times = {one.path.parent: _time(one) for one in files if one.path.name == TIME}
    for one in files:
        if one.path.name not in (TIME, *NOTES):
            said = ((folder, times[folder]) for folder in reversed(one.path.parents) if folder in times)
            yield Download(one.path, one.data, one.is_notebook, one.problem, tuple(said))


def _time(file: Download) -> HandedIn:
    author = "" if file.owner is None else other_user(file.owner)
    return replace(read_time(file.data), author=author)


def _in_folder(place: Path, kept: Kept) -> Iterator[Download]:
    """Read a folder's files and the archives in it.

    An archive directly in the folder may hold a whole class. If Canvas or Moodle named the files, it is a student's,
    because these systems name every file of a download after its student.
    """
    names = sorted(os.listdir(place))
    named = any(label_in(name, PurePosixPath()) for name in names)
    files = PlainFiles(place, LARGEST + 1, _MOST_NAMES, _MOST_BYTES, _TOO_MUCH, is_hidden)
    read: dict[PurePosixPath, list[Download]] = {}
    for top in map(PurePosixPath, names):
        for file in () if is_hidden(top) else files.below(top):
            if file.same_as is None:
                found = (_download(one, kept) for one in _in_file(file, named) if not is_hidden(one.path))
                read[file.path] = [replace(one, owner=file.owner) for one in found]
            else:
                read[file.path] = _under_another_name(read[file.same_as], file.same_as, file.path)
            yield from read[file.path]


def _in_file(file: PlainFile, named: bool) -> Iterator[Member]:
    if file.data is None:
        yield Member(file.path, None, file.problem)
    elif len(file.data) <= LARGEST and is_archive(file.path, file.data):
        yield from members(file.data, file.path, is_students=named or len(file.path.parts) > 1)
    else:
        yield Member(file.path, file.data)


def _under_another_name(found: list[Download], first: PurePosixPath, path: PurePosixPath) -> list[Download]:
    """Return what was read under a file's first name, because reading every name again could take hours."""
    if _kind(first) != _kind(path):
        return [Download(path, None, problem=f"it is another name of {first}, which was read")]
    return [replace(one, path=path / one.path.relative_to(first)) for one in found]


def _kind(path: PurePosixPath) -> tuple[bool, bool, bool]:
    """Return what a file's name says about how it is read."""
    return is_archives_name(path.name), _is_notebooks_name(path), path.name in (METADATA, TIME)


def _download(file: Member, kept: Kept) -> Download:
    if file.data is None:
        return Download(file.path, None, problem=file.problem)
    if len(file.data) > LARGEST:
        return Download(file.path, None, problem=f"it is larger than {LARGEST // 1_000_000} MB")
    if _is_notebooks_name(file.path) or _is_notebook(file.data):
        return Download(file.path, kept(file.data), is_notebook=True)
    if file.path.name == METADATA:
        return Download(file.path, file.data[: _LARGEST_METADATA + 1])
    problem = named_archive(file.path.name)
    problem = (
        f"it is {problem}, which cannot be read here: unpack it into a folder with the student's name"
        if problem
        else ""
    )
    return Download(file.path, file.data[: 4 * LONGEST_TIME + 1], problem=problem)


def _is_notebooks_name(path: PurePosixPath) -> bool:
    return ".ipynb" in [end.lower() for end in path.suffixes]


def _is_notebook(data: bytes) -> bool:
    """Return whether a file's content is a notebook, regardless of its name."""
    start = decode(data[:200])[0].lstrip("\ufeff \t\r\n")
    if not start.startswith("{"):
        return False
    return any('"cell_type"'.encode(encoding) in data for encoding in ("utf-8", "utf-16-le", "utf-16-be"))
