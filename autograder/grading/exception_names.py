"""Decide which exception names may be shown. A student could name an exception after a hidden question's inputs."""

from __future__ import annotations

import builtins


def is_pythons_own(name: str) -> bool:
    """Return whether one of Python's own exceptions has this name."""
    known = getattr(builtins, name, None)
    return isinstance(known, type) and issubclass(known, BaseException)
