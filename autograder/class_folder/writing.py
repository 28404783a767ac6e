"""Write files atomically, readable only to the graders."""

from __future__ import annotations

import contextlib
import json
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from course_lib.course import CourseError
from course_lib.replacing import replacing


def now() -> str:
    """Return the current time in the format of all files in a class's folder."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file atomically: an interruption leaves either the old file or the new one.

    Raises:
        CourseError: the file cannot be written.
    """
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as part:
            part.touch(0o600)  # others must not read students' work or grades
            part.write_bytes(content.encode() if isinstance(content, str) else content)
            part.chmod(mode_in(path.parent))


def mode_in(folder: Path) -> int:
    """Return the mode of a file that is written to a folder.

    Its group may use the file only if the folder is shared with that group, which may then write to it, and with nobody
    else. In many places, all users of a machine are in one group, and it may read most folders.
    """
    mode = folder.stat().st_mode
    is_shared = mode & stat.S_IWGRP and not mode & stat.S_IWOTH
    return 0o600 | (mode & 0o060 if is_shared else 0)


def write_json(path: Path, found: object) -> None:
    """Write an object as indented JSON, atomically.

    Raises:
        CourseError: the file cannot be written.
    """
    write_whole(path, json.dumps(found, indent=1, ensure_ascii=False))


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn an error of writing a file into a message of one sentence.

    Raises:
        CourseError: the file cannot be written.
    """
    try:
        yield
    except OSError as error:
        raise CourseError(f"{path} cannot be written: {error.strerror}.") from None
