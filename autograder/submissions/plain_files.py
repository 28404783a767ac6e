"""Read folders that another user of the machine may own, such as submissions and downloads. Never follow a link.

The owner of a folder can replace what is in it at any moment, so a check of a path says nothing about the file that is
opened later. Each folder is therefore opened relative to the one above it, and checked after it is open. Only the path
of the outermost folder, which the instructor named, may contain links.

Windows cannot open files relative to a folder. There, each part of a path is checked before it is opened.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path, PurePath, PurePosixPath

#: the most folders inside one another that are searched
DEEPEST = 60
_TOP = PurePosixPath()
_RELATIVE = os.open in os.supports_dir_fd and os.scandir in os.supports_fd and hasattr(os, "O_NOFOLLOW")
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_LIST = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_ENTER = getattr(os, "O_PATH", 0) | _LIST  # with O_PATH, a folder needn't be readable to be entered
_READ = os.O_RDONLY | _NO_LINK | getattr(os, "O_NONBLOCK", 0)


def read_plain(top: Path, within: PurePath, most: int) -> bytes | None:
    """Return the first bytes of a plain file, or None for a link, a pipe, a device, or a file that can't be read.

    Args:
        top: the folder that the instructor named.
        within: the file's path below it, in which no link is followed.
        most: the most bytes to read.
    """
    *folders, name = within.parts
    try:
        with _entered(top, folders) as folder:
            return _read(folder, name, most)
    except OSError:
        return None


def read_submitted(path: Path, most: int) -> bytes | None:
    """Return the first bytes of ``DIR/<student>/<lesson>/<file>``, in which only the path of ``DIR`` may have links."""
    parts = path.absolute().parts
    root = max(1, len(parts) - 3)
    return read_plain(Path(*parts[:root]), PurePath(*parts[root:]), most)


def names_in(top: Path, within: PurePath, most: int) -> list[str]:
    """Return names in a folder below the one that the instructor named, or an empty list if it can't be read.

    Args:
        most: the most names to return.
    """
    with suppress(OSError), _entered(top, within.parts) as folder, _listed(folder) as entries:
        return [entry.name for entry in islice(entries, most)]
    return []


def plain_files(top: Path, most: int, within: PurePosixPath = _TOP) -> Iterator[tuple[PurePosixPath, bytes | None]]:
    """Yield the path and the first bytes of each plain file of a folder and of the folders in it.

    A folder that is nested too deep is yielded in place of its files, with None.

    Args:
        top: the folder that the instructor named.
        most: the most bytes of each file to read.
        within: a folder below it, in whose path no link is followed. Only its files are yielded.
    """
    folders = [within]
    while folders:
        within = folders.pop()
        if len(within.parts) > DEEPEST:
            yield within, None
            continue
        with suppress(OSError), _entered(top, within.parts) as folder:
            with _listed(folder) as entries:
                found = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries)
            for name, is_folder in found:
                if is_folder:
                    folders.append(within / name)
                elif (data := _read_or_none(folder, name, most)) is not None:
                    yield within / name, data


@contextmanager
def _entered(top: Path, folders: Sequence[str]) -> Iterator[int | Path]:
    """Open a folder, or return its path on Windows.

    Raises:
        OSError: it can't be opened, or one of the folders below ``top`` is a link.
    """
    if os.pardir in folders:
        raise NotADirectoryError
    if not _RELATIVE:
        yield _checked(top, folders)
        return
    folder = os.open(top, _ENTER)
    try:
        for name in folders:
            outer, folder = folder, os.open(name, _ENTER | _NO_LINK, dir_fd=folder)
            os.close(outer)
        yield folder
    finally:
        os.close(folder)


def _checked(top: Path, folders: Sequence[str]) -> Path:
    for name in folders:
        top = top / name
        if top.is_symlink() or not top.is_dir():
            raise NotADirectoryError
    return top


def _read(folder: int | Path, name: str, most: int) -> bytes | None:
    """Read a file of an open folder, unless it is not a plain one.

    Raises:
        OSError: it can't be read, or is a link.
    """
    if isinstance(folder, int):
        descriptor = os.open(name, _READ, dir_fd=folder)
    elif (folder / name).is_symlink():
        return None
    else:
        descriptor = os.open(folder / name, _READ)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    with os.fdopen(descriptor, "rb") as file:
        return file.read(most)


def _read_or_none(folder: int | Path, name: str, most: int) -> bytes | None:
    with suppress(OSError):
        return _read(folder, name, most)
    return None


@contextmanager
def _listed(folder: int | Path) -> Iterator[Iterator[os.DirEntry[str]]]:
    """List an open folder.

    Raises:
        OSError: it can't be listed.
    """
    if not isinstance(folder, int):
        with os.scandir(folder) as entries:
            yield entries
        return
    descriptor = os.open(os.curdir, _LIST, dir_fd=folder)
    try:
        with os.scandir(descriptor) as entries:
            yield entries
    finally:
        os.close(descriptor)
