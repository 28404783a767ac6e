"""Run commands in bubblewrap: a file system that contains only the environment, no network and no privileges."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from autograder.grading.visible import COURSE, file_system, python_inside
from course_lib.running.runner import CannotStart

_INSIDE = Path(__file__).parent / "inside"

_ALONE = (
    *("--unshare-pid", "--unshare-ipc", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"),
    *("--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL"),
)
#: root keeps its own user namespace and two capabilities, with which each submission switches to another user. Anyone
#: else, and root in a container without these capabilities, gets a user namespace with an id other than 0, because a
#: nested namespace cannot map the outer one's user 0
_AS_ROOT = (*_ALONE, "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID")
_AS_USER = (*_ALONE, "--unshare-user", "--uid", "1000", "--gid", "1000")


def look_again() -> None:
    """Check again whether the sandbox can be used here, because something may have been installed."""
    _isolation.cache_clear()


def bubblewrap_unavailable() -> str | None:
    """Return why submissions cannot be run in the sandbox here, or None if they can."""
    return _isolation()[1]


def bubblewrap_command(
    library: Path, command: Iterable[str], environment: dict[str, str], private: Iterable[Path] = ()
) -> list[str]:
    """Return the command that runs ``command`` in the sandbox.

    Args:
        library: the folder that contains the released `course_lib`.
        environment: the only environment variables in the sandbox.
        private: folders that no submission may see, wherever they are.

    Raises:
        CannotStart: the sandbox cannot be used here, or cannot hide these folders.
    """
    isolation, problem = _isolation()
    if problem:
        raise CannotStart(f"The sandbox cannot be used here: {problem}.")
    binds = ["--ro-bind", str(library / "course_lib"), str(COURSE / "course_lib")]
    return [*_bwrap(isolation, binds, environment, private), *command]


@cache
def _isolation() -> tuple[tuple[str, ...], str | None]:
    """Return the options that work here, or the reason why none do."""
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


def _bwrap(
    isolation: Iterable[str], binds: Iterable[str], environment: dict[str, str], private: Iterable[Path] = ()
) -> list[str]:
    bwrap = shutil.which("bwrap")
    assert bwrap is not None
    arguments = [bwrap, *isolation, *file_system(tuple(private)), *binds]
    arguments += ["--ro-bind", str(_INSIDE), str(COURSE / "inside")]
    # a shared mapping of /dev/zero would be unlimited memory, which no limit counts
    arguments += ["--dev-bind", "/dev/null", "/dev/zero"]
    # nothing that outlives a submission is writable, because each gets its own /tmp and /dev/shm
    arguments += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/tmp"]
    for name, value in environment.items():
        arguments += ["--setenv", name, value]
    return arguments
