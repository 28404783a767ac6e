"""Choose the files of this machine that a submission can see: those that Python needs, and nobody's data.

The file system starts empty. A folder is visible only if it is listed here, because a machine's ``/usr`` contains more
than programs: nbgrader's default exchange, with everybody's submissions, is in ``/usr/local/share``.
A folder with students' work is always hidden, even inside a listed folder.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import autograder
import course_lib
from course_lib.running.runner import CannotStart

#: the folder of the released library and the fork server's own files inside the sandbox
COURSE = Path("/course")

_SYSTEM = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_SHARED = ("share/zoneinfo", "share/fonts", "share/fontconfig", "share/matplotlib")
_USR = (*_SYSTEM, "libexec", "include", *_SHARED)
#: Debian keeps packages and shared libraries here, although no Python has this prefix
_USR_LOCAL = ("lib", "lib32", "lib64", "include", "share/fonts")
_PREFIX = ("bin", "lib", "lib64", "include", "libexec", *_SHARED, "pyvenv.cfg")
_ETC = ("/etc/ld.so.cache", "/etc/fonts", "/etc/alternatives", "/etc/localtime")


@dataclass(frozen=True)
class _Mount:
    """A file or folder at a path inside the sandbox, or an empty folder if it has no source."""

    inside: Path
    source: Path | None = None


def file_system(private: Iterable[Path]) -> Iterator[str]:
    """Yield bubblewrap's options that build the file system.

    Args:
        private: folders that no submission may see.

    Raises:
        CannotStart: Python itself is in one of these folders.
    """
    for name in _SYSTEM:
        path = Path("/", name)
        if path.is_symlink():
            yield from ("--symlink", os.readlink(path), str(path))
    mounts = _mounts(private)
    for folder in _python():
        if _seen_through(mounts, folder).source is None:
            raise CannotStart(
                f"The sandbox must hide {_hides(private, folder)} from submissions, but Python is in it, too "
                f"({folder}). Keep students' work and the course outside Python's own folders."
            )
    done: list[_Mount] = []
    made: set[Path] = set()
    for mount in mounts:
        yield from _make_parents(mount.inside, done, made)
        options = ("--perms", "0755", "--tmpfs") if mount.source is None else ("--ro-bind", str(mount.source))
        yield from (*options, str(mount.inside))
        done.append(mount)
    for path in (COURSE / "inside", Path("/etc/fonts")):
        yield from _make_parents(path, done, made)
    for name in _ETC:
        yield from ("--ro-bind-try", name, name)
    for mount in mounts:
        if mount.source is None:
            yield from ("--remount-ro", str(mount.inside))
    yield from ("--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp")


def python_inside() -> str:
    """Return this Python's path inside the sandbox."""
    return str(_place(Path(sys.executable)))


def _mounts(private: Iterable[Path]) -> list[_Mount]:
    """Return all mounts, outer folders first, because later mounts cover earlier ones."""
    shown = [_Mount(_place(path), path) for path in dict.fromkeys(_visible()) if path.exists()]
    hidden = []
    for folder in dict.fromkeys(path.resolve() for path in (*private, *_our_own())):
        for mount in shown:
            assert mount.source
            source = mount.source.resolve()
            if folder.is_dir() and folder.is_relative_to(source):
                hidden.append(_Mount(mount.inside / folder.relative_to(source)))
    return sorted([*shown, *dict.fromkeys(hidden)], key=lambda mount: (len(mount.inside.parts), mount.source is None))


def _visible() -> Iterator[Path]:
    """Yield every file and folder that Python needs to run."""
    for name in _SYSTEM:
        if not (path := Path("/", name)).is_symlink():
            yield path
    yield from (Path("/usr", name) for name in _USR)
    yield from (Path("/usr/local", name) for name in _USR_LOCAL)
    for prefix in _prefixes():
        yield from (prefix / name for name in _PREFIX)
    yield from _more_packages()
    yield from _library_folders()


def _prefixes() -> list[Path]:
    """Return the environment and the Python it was made from, under each of their names."""
    names = [Path(sys.base_prefix), Path(sys.prefix)]
    names += [name.resolve() for name in names]
    return [path for path in dict.fromkeys(names) if path != Path("/usr")]


@cache
def _library_folders() -> tuple[Path, ...]:
    """Return the folders in /usr in which the system looks for shared libraries, such as /usr/local/cuda/lib64."""
    try:
        command = ["/sbin/ldconfig", "-p"]
        listed = subprocess.run(command, capture_output=True, text=True, env={}, timeout=60, check=False).stdout
    except (OSError, subprocess.SubprocessError):
        return ()
    found = dict.fromkeys(Path(path).parent for path in re.findall(r"=> (/\S.*)$", listed, re.MULTILINE))
    return tuple(path for path in found if path.is_relative_to("/usr"))


def _python() -> list[Path]:
    """Return the folders without which Python does not start: its own library and installed packages."""
    return [Path(path) for path in dict.fromkeys(map(sysconfig.get_path, ("stdlib", "purelib", "platlib")))]


def _more_packages() -> list[Path]:
    """Return the folders of packages that a ``.pth`` file of this environment adds from elsewhere."""
    known = ("site-packages", "dist-packages")
    return [Path(path) for path in dict.fromkeys(sys.path) if os.path.basename(path) in known and Path(path).is_dir()]


def _our_own() -> Iterator[Path]:
    """Yield the installed and checked-out folders of the course's own source, which contains the right answers."""
    packages = [Path(str(package.__file__)).parent for package in (autograder, course_lib)]
    yield from packages
    installed = {path.resolve() for path in (*_python(), *_more_packages())}
    for folder in installed:
        yield from (folder / package.name for package in packages)
    checkout = Path(__file__).resolve().parents[2]
    if checkout not in installed:
        yield checkout


def _place(path: Path) -> Path:
    """Return the path inside the sandbox, which differs if a submission's own folders would cover it."""
    covered = any(path.is_relative_to(folder) for folder in ("/tmp", "/dev", "/proc"))
    return Path("/environment") / path.relative_to("/") if covered else path


def _seen_through(mounts: Iterable[_Mount], folder: Path) -> _Mount:
    """Return the last mount that contains a folder, which decides what is visible of it."""
    inside = [mount for mount in mounts if _place(folder).is_relative_to(mount.inside)]
    return inside[-1] if inside else _Mount(Path("/"))


def _hides(private: Iterable[Path], folder: Path) -> Path:
    """Return the private folder that contains another one."""
    return next((path for path in private if folder.resolve().is_relative_to(path.resolve())), folder)


def _make_parents(path: Path, done: Iterable[_Mount], made: set[Path]) -> Iterator[str]:
    """Create the parents of a path so that anyone may enter them. bubblewrap's own would be accessible only to root."""
    for folder in reversed(path.parents[:-1]):
        above = [mount for mount in done if folder.is_relative_to(mount.inside)]
        if folder not in made and (not above or above[-1].source is None):
            made.add(folder)
            yield from ("--perms", "0755", "--dir", str(folder))
