"""What somebody may have meant by a name that is not there."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping


def suggestion(name: str, there: Iterable[str], called: Mapping[str, str] | None = None) -> str:
    """``"; did you mean 'softmax'?"``, or nothing if no name is like it.

    Args:
        called: what is to be suggested for a name that is there, if that is not the name itself.
    """
    near = difflib.get_close_matches(name, list(there), n=1)
    return f"; did you mean {(called or {}).get(near[0], near[0])!r}?" if near else ""
