"""Keeping the memory that a training step frees, because the next step needs the same amount."""

from __future__ import annotations

import ctypes
from functools import cache

_MMAP_THRESHOLD, _TRIM_THRESHOLD = -3, -1  # names of mallopt's settings, see mallopt(3)
_LARGEST, _KEPT = 1 << 25, 1 << 30  # bytes: the largest allowed mmap threshold, and what is kept


@cache
def keep_freed_memory() -> bool:
    """Make the C library keep freed memory instead of returning it to the system; return whether it does.

    Every training step allocates and frees the same megabytes, and each time the system must first fill them with
    zeros. This takes a twentieth of a step of lesson 09's Transformer. Only the GNU C library has these settings;
    elsewhere, nothing changes except that training is a little slower.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):  # another C library
        return False
    return bool(mallopt(_MMAP_THRESHOLD, _LARGEST) and mallopt(_TRIM_THRESHOLD, _KEPT))
