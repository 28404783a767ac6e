"""Keeping the memory that a training step frees for the next step, which wants as much."""

from __future__ import annotations

import ctypes
from functools import cache

_MMAP_THRESHOLD, _TRIM_THRESHOLD = -3, -1  # names of mallopt's settings, see mallopt(3)
_LARGEST, _KEPT = 1 << 25, 1 << 30  # bytes: the most that the first may be, and what is kept


@cache
def keep_freed_memory() -> bool:
    """Have the C library keep what is freed instead of giving it back to the system; say whether it does.

    Every step of a training takes and frees the same megabytes, and each time the system must first fill them with
    zeros: of the time of a step of lesson 09's Transformer that is a twentieth. Only the GNU C library knows these
    settings; elsewhere nothing is changed, and all that is lost is time.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):  # another C library
        return False
    return bool(mallopt(_MMAP_THRESHOLD, _LARGEST) and mallopt(_TRIM_THRESHOLD, _KEPT))
