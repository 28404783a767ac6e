"""bubblewrap: a file system with nothing in it but the environment, no network, no privileges."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from course_lib.running.runner import CannotStart

#: where the released library and the warm process's own files stand inside
COURSE = Path("/course")
_INSIDE = Path(__file__).parent / "inside"

_SYSTEM = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_ETC = ("/etc/ld.so.cache", "/etc/fonts", "/etc/alternatives", "/etc/localtime")
#: of an environment's folder, what running Python needs; the folder may hold much else
_ENVIRONMENT = ("bin", "lib", "lib64", "pyvenv.cfg")
_OURS = ("autograder", "course_lib")

_ALONE = (
    *("--unshare-pid", "--unshare-ipc", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"),
    *("--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL"),
)
#: root keeps its own user namespace and two powers, with which each submission becomes someone else;
#: anyone else, and root in a container without those, gets a user namespace, and is not 0 in it:
#: a namespace inside another may not map the outer one's user 0
_AS_ROOT = (*_ALONE, "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID")
_AS_USER = (*_ALONE, "--unshare-user", "--uid", "1000", "--gid", "1000")


def look_again() -> None:
    """Forget whether the sandbox can be used here, because something was installed since."""
    _isolation.cache_clear()


def bubblewrap_unavailable() -> str | None:
    """Why submissions cannot be run in the sandbox here; None where they can."""
    return _isolation()[1]


def bubblewrap_command(library: Path, command: Iterable[str], environment: dict[str, str]) -> list[str]:
    """The command that runs ``command`` in the sandbox.

    Args:
        library: the folder that holds `course_lib` as released.
        environment: all that it sees of an environment.
    """
    isolation, problem = _isolation()
    if problem:
        raise CannotStart(f"The sandbox cannot be used here: {problem}.")
    binds = ["--ro-bind", str(library / "course_lib"), str(COURSE / "course_lib")]
    return [*_bwrap(isolation, binds, environment), *command]


@cache
def _isolation() -> tuple[tuple[str, ...], str | None]:
    """The options that work here, or the reason why none do."""
    if sys.platform != "linux":
        return (), "it needs Linux"
    if shutil.which("bwrap") is None:
        return (), "bubblewrap (bwrap) is not installed"
    said = ""
    for isolation in (_AS_ROOT, _AS_USER) if os.getuid() == 0 else (_AS_USER,):
        command = [
            *_bwrap(isolation, [], {"PYTHONPATH": str(COURSE)}),
            python_inside(),
            "-S",
            "-m",
            "inside.namespaces",
        ]
        tried = subprocess.run(command, capture_output=True, text=True, env={}, timeout=60, check=False)
        if tried.stdout == "enclosed":
            return isolation, None
        said = (tried.stderr.strip().splitlines() or ["no reason given"])[-1]
    return (), f"the system does not let bubblewrap make namespaces: {said}"


def _bwrap(isolation: Iterable[str], binds: Iterable[str], environment: dict[str, str]) -> list[str]:
    bwrap = shutil.which("bwrap")
    assert bwrap is not None
    arguments = [bwrap, *isolation, *_file_system(), *binds]
    arguments += ["--ro-bind", str(_INSIDE), str(COURSE / "inside")]
    # mapped and shared it would be memory without end, which no limit counts
    arguments += ["--dev-bind", "/dev/null", "/dev/zero"]
    # nothing that outlives a submission can be written: each gets a /tmp and a /dev/shm of its own
    arguments += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/tmp"]
    for name, value in environment.items():
        arguments += ["--setenv", name, value]
    return arguments


def _file_system() -> Iterator[str]:
    yield from ("--ro-bind", "/usr", "/usr")
    for path in map(Path, _SYSTEM):
        if path.is_symlink():
            yield from ("--symlink", os.readlink(path), str(path))
        elif path.is_dir():
            yield from ("--ro-bind", str(path), str(path))
    yield from ("--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp")
    # our own source may stand inside /usr; the environment may stand inside our source
    checkout = Path(__file__).resolve().parents[2]
    if checkout.is_relative_to("/usr") and checkout not in _package_folders():
        yield from _cover(checkout)
    prefixes = _prefixes()
    yield from _folders([*map(_place, prefixes), COURSE, Path("/etc")])
    for prefix in prefixes:
        for name in _ENVIRONMENT:
            if (prefix / name).exists():
                yield from ("--ro-bind", str(prefix / name), str(_place(prefix) / name))
    for name in _ETC:
        yield from ("--ro-bind-try", name, name)
    for packages in _package_folders():
        for name in _OURS:
            if (packages / name).is_dir():
                yield from _cover(_place(packages) / name)


def python_inside() -> str:
    """This Python, under the name it has in the sandbox."""
    return str(_place(Path(sys.executable)))


def _place(path: Path) -> Path:
    """Where a path of the environment stands inside: elsewhere if a submission's own folders would hide it."""
    hidden = any(path.is_relative_to(folder) for folder in ("/tmp", "/dev", "/proc"))
    return Path("/environment") / path.relative_to("/") if hidden else path


def _folders(paths: Iterable[Path]) -> Iterator[str]:
    """Make folders that anyone may enter; those that bubblewrap makes by itself only root may."""
    lines = (folder for path in paths for folder in (*reversed(path.parents), path))
    for folder in dict.fromkeys(lines):
        if not folder.is_relative_to("/usr"):
            yield from ("--perms", "0755", "--dir", str(folder))


def _cover(folder: Path) -> tuple[str, ...]:
    """Hide a folder behind an empty one."""
    return ("--tmpfs", str(folder), "--remount-ro", str(folder))


def _prefixes() -> list[Path]:
    """The environment and the Python it was made from, outside /usr, under each of their names."""
    names = [Path(sys.base_prefix), Path(sys.prefix)]
    names += [name.resolve() for name in names]
    return [path for path in dict.fromkeys(names) if not path.is_relative_to("/usr")]


def _package_folders() -> list[Path]:
    """Every folder of installed packages."""
    return [Path(path) for path in dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib"))]
