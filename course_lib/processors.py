"""Count the processors that this process may use."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_GROUPS = Path("/sys/fs/cgroup")


def usable_processors() -> int:
    """Return the number of processors, within the limits of `taskset`, a batch system or a container."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(allowed, math.floor(min(_quotas(_groups()), default=allowed))))


def _groups() -> str:
    """Read the kernel's list of this process's control groups."""
    with suppress(OSError):
        return Path("/proc/self/cgroup").read_text()
    return ""


def _quotas(groups: str, root: Path = _GROUPS) -> Iterator[float]:
    """Yield the quota of each control group around this process that has one, in processors."""
    for line in groups.splitlines():
        _, controllers, path = line.split(":", 2)
        places = [root] if not controllers else [root / controllers, root / "cpu"]
        if controllers and "cpu" not in controllers.split(","):
            continue
        for place in places:
            group = place / path.lstrip("/")
            for folder in (group, *group.parents):  # a container may see its own group as the root
                if folder.is_relative_to(root):
                    yield from _quota(folder)


def _quota(folder: Path) -> Iterator[float]:
    """Yield the quota of one group, in processors. Cgroup v2 has one file for it, and v1 has two."""
    with suppress(OSError, ValueError, ZeroDivisionError):
        quota, period = (folder / "cpu.max").read_text().split()
        yield float(quota) / float(period)  # "max", which means unlimited, is not a number
    with suppress(OSError, ValueError, ZeroDivisionError):
        quota, period = ((folder / f"cpu.cfs_{name}_us").read_text() for name in ("quota", "period"))
        if float(quota) > 0:
            yield float(quota) / float(period)
