"""Detect when the checked code isn't what the student's cell contains now.

A cell that ends in an error leaves the function of an earlier run behind, and so does an edit that is not run. `check`
judges that function, so its card has to say so.

The kernel knows every cell that is run: its source, whether it raised, and whether it redefined the name. It never sees
a cell that is edited and not run. The notebook's file shows such an edit only if the front end tells the kernel the
file's name (Jupyter's server does) and has saved it since. An edit that is neither run nor saved cannot be detected.
"""

from __future__ import annotations

import re
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from course_lib.own_notebooks import saved_cells, this_notebook
from course_lib.session import CURRENT

#: a definition or an assignment at the beginning of a line
_DEFINES = re.compile(r"^(?:(?:async[ \t]+)?(?:def|class)[ \t]+(?=\w)|(?=\w+[ \t]*=[^=]))(\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Definition:
    """The last run that defined a name, and what came after it.

    Attributes:
        cell_id: the cell's id, if the front end provides it.
        source: what was run.
        at: when, in seconds since the epoch.
        since: what the cell did when it was run again, such as ``"stopped with SyntaxError"``; empty if it was not.
    """

    cell_id: str
    source: str
    at: float
    since: str = ""


class Definitions:
    """Tracks what a kernel's cells define.

    Args:
        namespace: the namespace in which they run.
    """

    def __init__(self, namespace: dict[str, Any]) -> None:
        self._namespace = namespace
        self._known: dict[str, Definition] = {}
        self._before: dict[str, Any] | None = None  # the values of the names that the running cell may define

    def begins(self, info: Any) -> None:
        """Record the names' values before a cell runs, and forget what the cell did last time."""
        self._before = {name: self._namespace.get(name) for name in self._names(info)}
        for name in self._before.keys() & self._known.keys():
            self._known[name] = replace(self._known[name], since="")

    def ended(self, result: Any) -> None:
        """Record what a cell did, or that it couldn't run."""
        before, self._before = self._before, None
        error = result.error_before_exec or result.error_in_exec
        source, cell_id = str(result.info.raw_cell), _id(result.info)
        for name, old in (before or {}).items():
            if self._namespace.get(name) is not old:
                self._known[name] = Definition(cell_id, source, time.time())
            elif error is not None:
                kept = self._known.get(name, Definition(cell_id, source, time.time()))
                self._known[name] = replace(kept, since=f"stopped with {type(error).__name__}")
            elif name in self._known and name not in _DEFINES.findall(source):
                self._known[name] = replace(self._known[name], since="no longer contained this definition")

    def _names(self, info: Any) -> set[str]:
        """Return the names that a cell defines, or defined when it was run before."""
        cell_id = _id(info)
        again = {name for name, known in self._known.items() if cell_id and known.cell_id == cell_id}
        return again | set(_DEFINES.findall(str(info.raw_cell)))

    def stopped(self, symbol: str) -> str:
        """Return what a symbol's cell did, such as "stopped with SyntaxError", or an empty string if it defined it."""
        known = self._known.get(symbol)
        return known.since if known else ""

    def note(self, symbol: str, implementation: Any) -> str:
        """Return the warning for an implementation that isn't what its cell contains now, or an empty string."""
        known = self._known.get(symbol)
        if known is None or self._namespace.get(symbol) is not implementation:
            return ""
        if known.since:
            happened = f"{known.since} when it was last run"
        elif _edited(symbol, known):
            happened = "was edited and not run again"
        else:
            return ""
        return f"The cell that defines `{symbol}` {happened}. This check used the previous version."


def _id(info: Any) -> str:
    return str(getattr(info, "cell_id", None) or "")


def _edited(symbol: str, known: Definition) -> bool:
    """Return whether the notebook's file, saved since the definition was run, contains a different one."""
    with suppress(OSError):
        if (path := this_notebook()) is not None and path.stat().st_mtime > known.at:
            cells = saved_cells()
            same = [cell.source for cell in cells if cell.id == known.cell_id]
            sources = same or [cell.source for cell in cells if symbol in _DEFINES.findall(cell.source)]
            return bool(sources) and known.source.strip() not in sources
    return False


def watch_definitions() -> None:
    """Begin to record what this kernel's cells define. Without IPython, do nothing."""
    try:
        from IPython import get_ipython
    except ImportError:
        return
    shell: Any = get_ipython()  # type: ignore[no-untyped-call, unused-ignore]
    if shell is None or CURRENT.definitions:
        return
    CURRENT.definitions = watched = Definitions(shell.user_ns)
    shell.events.register("pre_run_cell", watched.begins)
    shell.events.register("post_run_cell", watched.ended)


def stale(symbol: str, implementation: Any) -> str:
    """Return the warning for a card; see `Definitions.note`."""
    return CURRENT.definitions.note(symbol, implementation) if CURRENT.definitions else ""
