"""The warm process's memory: what is in use is moved into huge pages, so that forks are cheap."""

from __future__ import annotations

import json
import platform
import subprocess
import sys

import pytest

from autograder.grading.inside import huge_pages

_MEGABYTE = 1 << 20
_PROGRAM = f"""
import json, mmap
from autograder.grading.inside.huge_pages import use_huge_pages

def kilobytes(field):
    return sum(int(line.split()[1]) for line in open("/proc/self/smaps_rollup") if line.startswith(field + ":"))

in_use = mmap.mmap(-1, {64 * _MEGABYTE}, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
in_use.write(b"x" * len(in_use))
apart = mmap.mmap(-1, {4 * _MEGABYTE}, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)  # keeps the two mappings apart
hardly_used = mmap.mmap(-1, {64 * _MEGABYTE}, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
hardly_used.write(b"x")
before = kilobytes("Rss")
use_huge_pages()
print(json.dumps([kilobytes("AnonHugePages"), kilobytes("Rss") - before, in_use[:] == b"x" * len(in_use)]))
"""


def _can_collapse() -> bool:
    release = platform.release().split(".")
    return sys.platform == "linux" and (int(release[0]), int(release[1])) >= (6, 1)


@pytest.mark.skipif(not _can_collapse(), reason="MADV_COLLAPSE needs Linux 6.1")
def test_memory_in_use_moves_into_huge_pages_and_takes_no_more_room() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)
    huge, grown, unchanged = json.loads(done.stdout)
    assert huge >= 60 * 1024
    assert grown < 4 * 1024
    assert unchanged


def test_only_private_memory_of_ones_own_is_chosen() -> None:
    def mapping(start: int, rights: str, file: str, in_use: int) -> str:
        return f"{start:x}-{start + 0x400000:x} {rights} 00000000 00:00 {file}\nSize: 4096 kB\nRss: {in_use} kB\n"

    smaps = (
        mapping(0x1000000, "rw-p", "0 [heap]", 4096)
        + mapping(0x2000000, "rw-s", "0 ", 4096)
        + mapping(0x3000000, "r--p", "0 ", 4096)
        + mapping(0x4000000, "rw-p", "7 /usr/lib/libc.so", 4096)
        + mapping(0x5000000, "rw-p", "0 ", 1024)
    )
    assert list(huge_pages._full_mappings(smaps)) == [(0x1000000, 0x1400000)]
