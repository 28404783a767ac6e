"""Read folders that another user of the machine may own, such as submissions and downloads. Never follow a link.

The owner of a folder can replace what is in it at any moment, so a check of a path says nothing about the file that is
opened later. Each folder is therefore opened relative to the one above it, and checked after it is open. Only the path
of the outermost folder, which the instructor named, may contain links.

Windows cannot open files relative to a folder. There, each part of a path is checked before it is opened.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
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
#: the errors for which somebody's work may be missing. The others are those of links, pipes and files that disappeared
_UNREADABLE = (errno.EACCES, errno.EPERM, errno.EIO)


@dataclass(frozen=True)
class PlainFile:
    """A plain file, or a folder whose files were not read.

    Attributes:
        path: the path below the folder that the instructor named.
        data: the file's first bytes, or None if they were not read.
        problem: why they were not read.
        same_as: the path of the file that was read before, if this is another name of it, which a hard link gives.
        owner: the number of the user to whom a file belongs, if it was read.
    """

    path: PurePosixPath
    data: bytes | None = None
    problem: str = ""
    same_as: PurePosixPath | None = None
    owner: int | None = None


def read_plain(top: Path, within: PurePath, most: int) -> bytes | None:
    """Return the first bytes of a plain file, or None for a link, a pipe, a device, or a file that can't be read.

    Args:
        top: the folder that the instructor named.
        within: the file's path below it, in which no link is followed.
        most: the most bytes to read.
    """
    return _read_with_owner(top, within, most)[0]


def read_submitted(path: Path, most: int) -> bytes | None:
    """Return the first bytes of ``DIR/<student>/<lesson>/<file>``, in which only the path of ``DIR`` may have links."""
    return submitted_with_owner(path, most)[0]


def submitted_with_owner(path: Path, most: int) -> tuple[bytes | None, int]:
    """Return the same first bytes, and the number of the user to whom the file belongs, or -1 if it wasn't read."""
    parts = path.absolute().parts
    root = max(1, len(parts) - 3)
    return _read_with_owner(Path(*parts[:root]), PurePath(*parts[root:]), most)


def _read_with_owner(top: Path, within: PurePath, most: int) -> tuple[bytes | None, int]:
    *folders, name = within.parts
    with suppress(OSError), _entered(top, folders) as folder, _opened(folder, name) as (descriptor, found):
        if stat.S_ISREG(found.st_mode):
            return _first_bytes(descriptor, most), found.st_uid
    return None, -1


def names_in(top: Path, within: PurePath, most: int) -> list[str]:
    """Return names in a folder below the one that the instructor named, or an empty list if it can't be read.

    Args:
        most: the most names to return.
    """
    with suppress(OSError), _entered(top, within.parts) as folder, _listed(folder) as entries:
        return [entry.name for entry in islice(entries, most)]
    return []


@dataclass
class PlainFiles:
    """Reads the plain files of a folder and of the folders in it. Reads a file with several names once.

    Attributes:
        top: the folder that the instructor named, or the descriptor of an open folder.
        most: the most bytes of each file to read.
        most_names: the most files and folders in one of the folders that are searched.
        most_bytes: the most bytes to read of one of the folders that are searched.
        remedy: what to do about a folder that holds more.
        skips: returns whether a file or folder is passed over, by its path.
    """

    top: Path | int
    most: int
    most_names: int
    most_bytes: int
    remedy: str
    skips: Callable[[PurePosixPath], bool] = lambda path: False
    _known: dict[tuple[int, int], PurePosixPath] = field(default_factory=dict)  # the files with several names

    def below(self, within: PurePosixPath = _TOP) -> Iterator[PlainFile]:
        """Yield the plain files of a folder, which may be a single file. Follow no link in its path.

        A folder that is nested too deep or can't be read is yielded in place of its files. If all the files are too
        many or too large, the rest is not read, and ``within`` itself is yielded once with the problem.
        """
        self._names, self._bytes = self.most_names, self.most_bytes
        folders = [within]
        while folders:
            folder = folders.pop()
            if len(folder.parts) > DEEPEST:
                yield PlainFile(folder, problem=f"it is in more than {DEEPEST} folders: move its files up")
                continue
            try:
                with _entered(self.top, folder.parts) as opened:
                    for name, is_folder in self._listed(opened, folder):
                        if is_folder:
                            folders.append(folder / name)
                        elif found := self._read(opened, folder / name):
                            yield found
            except _TooMuchError as error:
                yield PlainFile(within, problem=str(error))
                return
            except NotADirectoryError:
                if folder == within and within.parts:
                    yield from self._alone(within)
            except OSError as error:
                if problem := _problem(error):
                    yield PlainFile(folder, problem=problem)

    def _alone(self, path: PurePosixPath) -> Iterator[PlainFile]:
        """Yield a file for which the search began. It alone is never too large, because ``most`` limits it."""
        with suppress(OSError, _TooMuchError), _entered(self.top, path.parent.parts) as folder:
            if found := self._read(folder, path):
                yield found

    def _listed(self, opened: int | Path, folder: PurePosixPath) -> list[tuple[str, bool]]:
        with _listed(opened) as entries:
            wanted = (entry for entry in entries if not self.skips(folder / entry.name))
            found = sorted(
                (entry.name, entry.is_dir(follow_symlinks=False)) for entry in islice(wanted, self._names + 1)
            )
        self._names -= len(found)
        if self._names < 0:
            raise _TooMuchError(f"it holds more than {self.most_names:,} files: {self.remedy}")
        return found

    def _read(self, folder: int | Path, path: PurePosixPath) -> PlainFile | None:
        """Read a file of an open folder. Return None for a link, or for a file that is not a plain one."""
        try:
            with _opened(folder, path.name) as (descriptor, found):
                if not stat.S_ISREG(found.st_mode):
                    return None
                file = PlainFile(path, owner=found.st_uid)
                if found.st_nlink > 1 and (first := self._known.setdefault((found.st_dev, found.st_ino), path)) != path:
                    return replace(file, same_as=first)
                data = _first_bytes(descriptor, min(self.most, self._bytes + 1))
        except OSError as error:
            problem = _problem(error)
            return PlainFile(path, problem=problem) if problem else None
        self._bytes -= len(data)
        if self._bytes < 0:
            raise _TooMuchError(f"it holds more than {self.most_bytes // 1_000_000:,} MB: {self.remedy}")
        return replace(file, data=data)


class _TooMuchError(Exception):
    """The files of a folder are too many or too large. The message says which."""


def _problem(error: OSError) -> str:
    """Explain why a file that may be somebody's work can't be read. Return an empty string for links and pipes."""
    if error.errno not in _UNREADABLE:
        return ""
    return f"it can't be read: {(error.strerror or 'unknown error').lower()}"


@contextmanager
def opened_folder(top: Path, within: PurePosixPath) -> Iterator[int]:
    """Open a folder below the one that the instructor named, and yield its descriptor. Windows has none.

    Raises:
        OSError: it can't be opened, or there is a link in its path.
    """
    with _entered(top, within.parts) as folder:
        if not isinstance(folder, int):
            raise NotADirectoryError
        yield folder


@contextmanager
def _entered(top: Path | int, folders: Sequence[str]) -> Iterator[int | Path]:
    """Open a folder, or return its path on Windows.

    Raises:
        OSError: it can't be opened, or one of the folders below ``top`` is a link.
    """
    if os.pardir in folders:
        raise NotADirectoryError
    if isinstance(top, Path) and not _RELATIVE:
        yield _checked(top, folders)
        return
    folder = os.open(top, _ENTER) if isinstance(top, Path) else os.open(os.curdir, _ENTER, dir_fd=top)
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


@contextmanager
def _opened(folder: int | Path, name: str) -> Iterator[tuple[int, os.stat_result]]:
    """Open a file of an open folder, and yield its descriptor and what `os.fstat` says about it.

    Raises:
        OSError: it can't be opened, or is a link.
    """
    if isinstance(folder, int):
        descriptor = os.open(name, _READ, dir_fd=folder)
    elif (folder / name).is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(folder / name))
    else:
        descriptor = os.open(folder / name, _READ)
    try:
        yield descriptor, os.fstat(descriptor)
    finally:
        os.close(descriptor)


def _first_bytes(descriptor: int, most: int) -> bytes:
    with os.fdopen(descriptor, "rb", closefd=False) as file:
        return file.read(most)


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
