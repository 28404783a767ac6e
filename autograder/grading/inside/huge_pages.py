"""Move the warm process's memory into huge pages, which makes every fork cheaper.

The warm process and what it starts fork about ten times for each submission. A fork copies a page table of 4 kB for
each 2 MB of memory, unless that memory is one huge page.
"""

from __future__ import annotations

import contextlib
import ctypes
import re
from collections.abc import Iterator
from pathlib import Path

_HUGE = 2 << 20  #: the size of a huge page, on x86 and on ARM with pages of 4 kB
_COLLAPSE = 25  #: MADV_COLLAPSE, from Linux 6.1, see madvise(2)
_FULL = 0.9  #: the least share of a mapping that is in use, because a huge page takes memory for the rest, too

_HEAD = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) rw.p \S+ 00:00 0 ", re.MULTILINE)
_IN_USE = re.compile(r"^Rss:\s+(\d+) kB", re.MULTILINE)


def use_huge_pages() -> None:
    """Move private memory of this process that is almost entirely in use. Do nothing if the kernel cannot do that."""
    libc = ctypes.CDLL(None)
    with contextlib.suppress(OSError):  # there is no /proc
        for start, end in list(_full_mappings(Path("/proc/self/smaps").read_text(encoding="utf-8"))):
            first, last = -(-start // _HUGE) * _HUGE, end // _HUGE * _HUGE
            if first < last:
                libc.madvise(ctypes.c_void_p(first), ctypes.c_size_t(last - first), _COLLAPSE)


def _full_mappings(smaps: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each private, writable mapping without a file that is almost entirely in use."""
    for head in _HEAD.finditer(smaps):
        start, end = int(head[1], 16), int(head[2], 16)
        in_use = _IN_USE.search(smaps, head.end())
        if in_use and 1024 * int(in_use[1]) >= _FULL * (end - start):
            yield start, end
