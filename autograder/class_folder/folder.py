"""Create the folder of a class so that only graders may enter it, and so that git ignores it.

Students may use the same machine, and the folder may be in a repository, such as a checkout of the course.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from pathlib import Path

from autograder.class_folder.next_command import ClassOptions
from course_lib.course import CourseError
from course_lib.owners import other_owner

#: the names that identify a class's folder
_OURS = ("secret.key", "gradebook.db", "records", "submitted", "autograded", "keys", "students.csv")
#: what an instructor may put into a class's folder before a command uses it
_PREPARED = {"students.csv", "labels.csv", "deadlines.csv", "submitted"}
#: the file that makes git ignore everything in its folder, itself included
_IGNORE = ".gitignore"
_IF_SHARED = "If you share the class, add that user to graders under [class] in course.toml. Otherwise"


def require_graders_folder(folder: Path, graders: frozenset[int]) -> None:
    """Require that the folder of a class belongs to this user, to root or to another grader, if there is a folder.

    Args:
        graders: the users with whom the class is shared.

    Raises:
        CourseError: it belongs to somebody else.
    """
    if owner := other_owner(folder, graders):
        raise CourseError(
            f"The class's folder {folder} belongs to another user of this machine, {owner}, who could change grades. "
            f"{_IF_SHARED} choose another folder with --class."
        )


def require_graders_secret(path: Path, graders: frozenset[int]) -> None:
    """Require that the secret of a class belongs to this user, to root or to another grader, if there is one.

    Raises:
        CourseError: it belongs to somebody else.
    """
    if owner := other_owner(path, graders):
        raise CourseError(
            f"{path} belongs to another user of this machine, {owner}, who may know the hidden questions. "
            f"{_IF_SHARED} replace it: {ClassOptions(path.parent).command('secret --rotate --reason WHY')}"
        )


def require_class_folder(folder: Path) -> None:
    """Create the folder of a class, or close one that everybody may enter, and report it.

    Raises:
        OSError: the folder does not exist and cannot be created.
    """
    if message := make_class_folder(folder):
        print(f"course: {message}", file=sys.stderr)


def make_class_folder(folder: Path) -> str:
    """Create the folder of a class so that only its owner may enter, or close one that everybody may enter.

    A folder that its group may write to is shared with other graders on purpose, so the group keeps its access. Git
    ignores a new folder. In a folder that is already in use, its owner decides whether there is a ``.gitignore``.

    Returns:
        What was changed or must be changed by hand, or an empty string if nobody else can enter.

    Raises:
        OSError: the folder does not exist and cannot be created.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    _keep_out_of_git(folder)
    found = folder.stat()
    if os.name != "posix" or not found.st_mode & stat.S_IRWXO:
        return ""
    mode = stat.S_IMODE(found.st_mode) & ~(stat.S_IRWXO | (0 if found.st_mode & stat.S_IWGRP else stat.S_IRWXG))
    may_change = found.st_uid == os.geteuid() or os.geteuid() == 0
    if may_change and not found.st_mode & stat.S_ISVTX and _is_ours(folder):
        with contextlib.suppress(OSError):
            folder.chmod(mode)
        if stat.S_IMODE(folder.stat().st_mode) == mode:
            message = f"Everyone on this machine could open {folder}, which contains students' work"
            return f"{message}. Now only {_who_may_enter(folder)} can." if _is_reachable(folder) else ""
        return (
            f"Everyone on this machine can open {folder}, which contains students' work, and its file system does "
            "not store permissions. Choose a folder on another file system with --class."
        )
    return (
        f"Everyone on this machine can open {folder}, which contains students' work. Ask its owner to run "
        f"chmod {mode:o} on it, or choose another folder with --class."
    )


def _is_reachable(folder: Path) -> bool:
    """Return whether everybody may enter all folders above this one."""
    try:
        return all(parent.stat().st_mode & stat.S_IXOTH for parent in folder.resolve().parents)
    except OSError:
        return True


def _who_may_enter(folder: Path) -> str:
    """Name the owner of a folder, and its group if that may enter."""
    found = folder.stat()
    owner, group = str(found.st_uid), str(found.st_gid)
    with contextlib.suppress(KeyError, OSError):
        owner, group = folder.owner(), folder.group()
    return f"{owner} and the group {group}" if found.st_mode & stat.S_IXGRP else owner


def _keep_out_of_git(folder: Path) -> None:
    """Make git ignore a folder that contains only what an instructor has prepared."""
    visible = {path.name for path in folder.iterdir() if not path.name.startswith(".")}
    ignore = folder / _IGNORE
    if visible <= _PREPARED and not ignore.exists() and os.access(folder, os.W_OK):
        ignore.write_text("*\n", encoding="utf-8")


def _is_ours(folder: Path) -> bool:
    """Return whether a folder is empty, or contains files that grading leaves there."""
    names = {path.name for path in folder.iterdir()} - {_IGNORE}
    return not names or not names.isdisjoint(_OURS)
