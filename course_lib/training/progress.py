"""A progress bar that stays out of the way: never on stderr, and only one output however often it moves."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

_WIDTH, _EVERY = 24, 0.25


class ProgressBar:
    """A line that is rewritten: in a notebook through one display, in a terminal in place.

    If there is neither, as in a test, a pipe or a grader without a kernel, it shows nothing.
    nbgrader treats all output on stderr as an error, and tqdm writes there.
    """

    def __init__(self, wanted: bool = True) -> None:
        self._display: Any = _notebook_display() if wanted else None
        self._terminal = wanted and self._display is None and sys.stdout.isatty()
        self._shown = -_EVERY

    def __enter__(self) -> ProgressBar:
        return self

    def show(self, share: float, text: str, last: bool = False) -> None:
        """Draw the bar at a share of its length, followed by a text, at most four times a second."""
        now = time.monotonic()
        if now - self._shown < _EVERY and not last:
            return
        self._shown = now
        full = round(_WIDTH * min(share, 1.0))
        line = f"{'█' * full}{'░' * (_WIDTH - full)} {text}"
        if self._display is not None:
            self._display.update({"text/plain": line}, raw=True)
        elif self._terminal:
            sys.stdout.write(f"\r{line}\x1b[K")
            sys.stdout.flush()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._terminal:
            sys.stdout.write("\n")


def clear_bar() -> None:
    """Clear the bar from the terminal's line, so that text can be printed there; the bar reappears below."""
    if sys.stdout.isatty():
        sys.stdout.write("\r\x1b[K")


def _notebook_display() -> Any:
    """Return a notebook display that can be updated, or None if no kernel listens."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if getattr(shell, "kernel", None) is None:
        return None
    from IPython.display import display

    return display({"text/plain": ""}, raw=True, display_id=True)
