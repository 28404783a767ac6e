"""Which names of exceptions may be told to others: a student's own could be called what a hidden question gave."""

from __future__ import annotations

import builtins


def is_pythons_own(name: str) -> bool:
    """Whether one of Python's own exceptions has this name."""
    known = getattr(builtins, name, None)
    return isinstance(known, type) and issubclass(known, BaseException)
