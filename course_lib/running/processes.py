"""Linux's tools for keeping hold of processes; on other systems these functions do nothing."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

_DIE_WITH_PARENT, _ADOPT_ORPHANS = 1, 36  # PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER


def prctl(option: int, value: int) -> None:
    """Set one of the process's own attributes."""
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(option, value, 0, 0, 0):
            raise OSError(ctypes.get_errno(), f"prctl({option})")


def die_with_parent() -> None:
    """Be killed when the parent dies, however it dies."""
    prctl(_DIE_WITH_PARENT, signal.SIGKILL)


def raise_oom_score(by: int) -> None:
    """When memory runs out, let the kernel end this process, and all it will start, before its parent.

    A process may only raise its own score; lowering it again needs a privilege that no submission has.

    Args:
        by: up to 1000; the kernel ends the process with the highest score first.
    """
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(by))


def become_subreaper() -> None:
    """Become the parent of every descendant whose own parent ends."""
    prctl(_ADOPT_ORPHANS, 1)


def kill_descendants(group: int) -> None:
    """Kill every descendant of this process or, if they cannot be listed, a process group.

    It is needed only without a PID namespace, because a namespace reliably ends everything at once.
    """
    with contextlib.suppress(OSError):
        os.killpg(group, signal.SIGKILL)
    listed = Path(f"/proc/self/task/{os.getpid()}/children")
    for _ in range(1000):  # killed processes leave children, which we adopt and see next
        children = listed.read_text().split() if listed.exists() else []
        for child in children:
            with contextlib.suppress(OSError):
                os.kill(int(child), signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while children:
                os.waitpid(-1, 0)
        if not children:
            return


def end_all_others() -> None:
    """Kill and reap every other process, if this one is the first of a PID namespace.

    They would end with it anyway, but then the kernel would not count their time as its children's.
    """
    if os.getpid() != 1:
        return
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)


def processes_of_this_user() -> int | None:
    """Return how many processes and threads this user has, as counted by the kernel's limit; None if unknown."""
    if sys.platform != "linux":
        return None
    count = 0
    for status in Path("/proc").glob("[0-9]*/status"):
        with contextlib.suppress(OSError):
            if status.stat().st_uid == os.getuid():
                count += int(status.read_text().split("Threads:")[1].split()[0])
    return count


def descendants(pid: int) -> Iterator[int]:
    """Return the current descendants of a process; empty if it is gone, or they cannot be listed."""
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():  # any thread may have started one
            with contextlib.suppress(OSError):
                for child in map(int, (task / "children").read_text().split()):
                    yield child
                    yield from descendants(child)


def processor_seconds(pid: int) -> float | None:
    """Return the CPU seconds of a process, of all its current descendants, and of all that have ended; None if unknown.

    The kernel counts them, so no code in those processes can change the result.
    """
    own = _processor_seconds(pid)
    listed = Path(f"/proc/{pid}/task/{pid}/children").exists()  # a kernel may be built without these lists
    return (
        None if own is None or not listed else own + sum(_processor_seconds(child) or 0.0 for child in descendants(pid))
    )


def _processor_seconds(pid: int) -> float | None:
    """Return the time of a process, and of the children that it reaped."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
