"""Find the user's cache folder, for answer keys and released libraries, which can be made again."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

import platformdirs

from course_lib.course import CourseError
from course_lib.owners import trusted_users

_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH


def cache_folder() -> Path:
    """Return the course's folder among the user's caches. On Linux, ``XDG_CACHE_HOME`` can move them."""
    return Path(platformdirs.user_cache_dir("attention-course", appauthor=False))


def own_cache_folder() -> Path:
    """Return the same folder, created if possible, after checking that no other user may change it.

    Raises:
        CourseError: it belongs to another user, or everybody may write to it.
    """
    folder = cache_folder()
    with suppress(OSError):  # a caller that writes reports why it cannot
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    require_own(folder)
    return folder


def require_own(folder: Path) -> None:
    """Refuse a folder that another user of the machine may change, because its files determine grades.

    Close a folder of this user that its group may write to, because some systems create folders that way.

    Raises:
        CourseError: it belongs to somebody else, or somebody else may write to it or replace it.
    """
    try:
        itself, found = folder.lstat(), folder.stat()
    except OSError:
        return
    if os.name != "posix":
        return
    if {itself.st_uid, found.st_uid} != {os.geteuid()}:
        raise CourseError(_refusal(folder, "belongs to another user of this machine"))
    if found.st_mode & stat.S_IWOTH:
        raise CourseError(_refusal(folder, "can be changed by everybody on this machine"))
    for above in dict.fromkeys((*folder.absolute().parents, *folder.resolve().parents)):
        if why := _how_replaced(above):
            raise CourseError(_refusal(folder, why))
    if found.st_mode & _OTHERS_MAY_WRITE:
        with suppress(OSError):
            folder.chmod(stat.S_IMODE(found.st_mode) & ~_OTHERS_MAY_WRITE)


def _how_replaced(above: Path) -> str:
    """Explain which other user may replace the folders in a folder, or return an empty string.

    In a user namespace, root's folders have another number, which is that of the root folder.
    """
    try:
        found, root = above.stat(), Path("/").stat()
    except OSError:
        return ""
    if found.st_uid not in trusted_users() | {root.st_uid}:
        return f"can be replaced by the owner of {above}, another user of this machine"
    if found.st_mode & stat.S_IWOTH and not found.st_mode & stat.S_ISVTX:
        return "can be replaced by everybody on this machine"
    return ""


def _refusal(folder: Path, why: str) -> str:
    return (
        f"The cache folder {folder} {why}, so answer keys and libraries in it can't be trusted. Name a folder "
        "of your own in the environment variable XDG_CACHE_HOME, or remove this one if it is yours to remove."
    )


def only_ours(path: Path) -> bool:
    """Return whether a file or folder belongs to this user, and only this user may write to it. A link never counts."""
    found = path.lstat()
    if stat.S_ISLNK(found.st_mode):
        return False
    return os.name != "posix" or (found.st_uid == os.geteuid() and not found.st_mode & _OTHERS_MAY_WRITE)
