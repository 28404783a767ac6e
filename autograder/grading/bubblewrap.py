"""bubblewrap: a file system with nothing in it but the environment, no network, no privileges."""

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


def bubblewrap_command(
    library: Path, command: Iterable[str], environment: dict[str, str], private: Iterable[Path] = ()
) -> list[str]:
    """The command that runs ``command`` in the sandbox.

    Args:
        library: the folder that holds `course_lib` as released.
        environment: all that it sees of an environment.
        private: folders that no submission may see, wherever they are.

    Raises:
        CannotStart: there is no sandbox here, or it cannot hide these folders.
    """
    isolation, problem = _isolation()
    if problem:
        raise CannotStart(f"The sandbox cannot be used here: {problem}.")
    binds = ["--ro-bind", str(library / "course_lib"), str(COURSE / "course_lib")]
    return [*_bwrap(isolation, binds, environment, private), *command]


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


def _bwrap(
    isolation: Iterable[str], binds: Iterable[str], environment: dict[str, str], private: Iterable[Path] = ()
) -> list[str]:
    bwrap = shutil.which("bwrap")
    assert bwrap is not None
    arguments = [bwrap, *isolation, *file_system(tuple(private)), *binds]
    arguments += ["--ro-bind", str(_INSIDE), str(COURSE / "inside")]
    # mapped and shared it would be memory without end, which no limit counts
    arguments += ["--dev-bind", "/dev/null", "/dev/zero"]
    # nothing that outlives a submission can be written: each gets a /tmp and a /dev/shm of its own
    arguments += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/tmp"]
    for name, value in environment.items():
        arguments += ["--setenv", name, value]
    return arguments
