"""Keep the notebooks that later ones replace, so that the instructor can bring one back.

``replaced/<student>/<lesson>/<digest>/`` in the class's folder holds a notebook with the files that were next to it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from autograder.class_folder.writing import write_whole
from autograder.submissions.plain_files import read_submitted
from autograder.submissions.submission import DOWNLOAD, DRAFT, LATE, VERSIONS
from autograder.submissions.submission_time import TIME
from course_lib.course import CourseError
from course_lib.running.notebook_file import LARGEST_FILE

FOLDER = "replaced"
#: the file that marks a notebook because the instructor chose an earlier one
_SET_ASIDE = "set_aside.txt"
_BESIDE = (TIME, LATE, DRAFT, DOWNLOAD, VERSIONS)
_LONGEST = 20_000  #: the most bytes of a file next to a notebook


def keep_replaced(path: Path) -> Path | None:
    """Copy a collected notebook, which is about to be replaced.

    Return its new folder; None if it can't be read, or if ``course collect --to`` put it outside the class's folder.

    Args:
        path: ``<class>/submitted/<student>/<lesson>/<lesson>.ipynb``.
    """
    content = read_submitted(path, LARGEST_FILE + 1)
    if content is None or not _is_in_class(path):
        return None
    folder = _folder(path, hashlib.sha256(content).hexdigest())
    for name, beside in _beside(path):
        if beside is None:
            (folder / name).unlink(missing_ok=True)
        else:
            write_whole(folder / name, beside)
    write_whole(folder / path.name, content)
    return folder


def is_set_aside(path: Path, content: bytes) -> bool:
    """Return whether the instructor chose an earlier notebook in place of this one."""
    return _is_in_class(path) and (_folder(path, hashlib.sha256(content).hexdigest()) / _SET_ASIDE).is_file()


def bring_back(path: Path, digest: str) -> None:
    """Put a replaced notebook back, and set the current one aside, so that collecting does not choose it again.

    Args:
        path: ``<class>/submitted/<student>/<lesson>/<lesson>.ipynb``.
        digest: the digest of the replaced notebook.

    Raises:
        CourseError: the replaced notebook is not there.
    """
    folder = _folder(path, digest)
    content = read_submitted(folder / path.name, LARGEST_FILE + 1)
    if content is None or hashlib.sha256(content).hexdigest() != digest:
        raise CourseError(
            f"{folder / path.name} is not there. Only course collect keeps the files that it replaces. Collect the "
            f"earlier file again after you delete {path}."
        )
    if later := keep_replaced(path):
        write_whole(later / _SET_ASIDE, "The instructor chose an earlier file in place of this one.\n")
    for name, beside in _beside(folder / path.name):
        if beside is None:
            path.with_name(name).unlink(missing_ok=True)
        else:
            write_whole(path.with_name(name), beside)
    write_whole(path, content)
    (folder / _SET_ASIDE).unlink(missing_ok=True)


def _is_in_class(path: Path) -> bool:
    return path.absolute().parents[2].name == "submitted"


def _folder(path: Path, digest: str) -> Path:
    return path.absolute().parents[3] / FOLDER / path.parts[-3] / path.parts[-2] / digest


def _beside(path: Path) -> Iterator[tuple[str, bytes | None]]:
    for name in _BESIDE:
        yield name, read_submitted(path.with_name(name), _LONGEST)
