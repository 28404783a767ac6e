"""What somebody may have meant by a name that is not there."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def suggestion(name: str, there: Iterable[str]) -> str:
    """``"; did you mean 'softmax'?"``, or nothing where no name is like it."""
    near = difflib.get_close_matches(name, list(there), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
