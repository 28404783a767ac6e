"""An error that says in one sentence how a student should call something."""

from __future__ import annotations


class Misused(KeyError, ValueError):
    """A call that can't be answered. The message says what to do instead.

    IPython shows only this sentence, because a traceback through the course's code would hide it.
    """

    def __str__(self) -> str:
        return str(self.args[0])  # a KeyError shows it in quotes

    def _render_traceback_(self) -> list[str]:
        """Return the lines that IPython shows in place of a traceback."""
        return [str(self)]
