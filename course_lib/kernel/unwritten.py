"""A calm sentence, in place of a traceback, where a cell of the lesson needs what its reader has not written yet."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from types import TracebackType
from typing import Any

from course_lib.kernel.jupyter_shell import jupyter_shell
from course_lib.syntax import symbol_table


@dataclass(frozen=True)
class Waiting:
    """What a cell waits for; in a notebook, one line."""

    part: str
    passed_on: bool = False  # the cell needs what another one makes, and that one waits

    def __str__(self) -> str:
        if self.passed_on:
            return f"This cell goes on where one above stopped. It will run once {self.part} is written."
        return f"This cell needs {self.part}, which you haven't written yet. Write it, run its cell, then run this one."

    __repr__ = __str__

    def _repr_html_(self) -> str:
        text = escape(str(self)).replace(self.part, f"<code>{escape(self.part)}</code>", 1)
        return f'<div role="note" style="border-left:5px solid #b0b0b0;padding:0.3em 1em;margin:0.4em 0">{text}</div>'


class Unwritten:
    """Watches a notebook for cells that stop because a part is not written.

    Args:
        shell: IPython's, of a kernel.
    """

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._missing: dict[str, str] = {}  # what a stopped cell would have defined: the part that it waits for

    def install(self) -> None:
        """From now on."""
        self._shell.set_custom_exc((NotImplementedError, NameError), self._stopped)

    def _stopped(
        self,
        shell: Any,
        kind: type[BaseException],
        error: BaseException,
        trace: TracebackType | None,
        tb_offset: int | None = None,
    ) -> None:
        waiting = self._waiting(error, trace)
        if waiting is None:
            caught, shell.custom_exceptions = shell.custom_exceptions, ()  # as any other error
            try:
                shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
            finally:
                shell.custom_exceptions = caught
            return
        from IPython.display import display

        display(waiting)
        for name in _defines(_source(shell)):
            if name not in shell.user_ns:
                self._missing[name] = waiting.part

    def _waiting(self, error: BaseException, trace: TracebackType | None) -> Waiting | None:
        """Return what the cell waits for; nothing if it is an error like others."""
        if isinstance(error, NameError):
            part = self._missing.get(error.name or "")
            return Waiting(part, passed_on=True) if part else None
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        if trace is None or trace.tb_frame.f_globals is not self._shell.user_global_ns:
            return None  # a library's own
        code = trace.tb_frame.f_code
        return None if code.co_name == "<module>" or error.args else Waiting(code.co_qualname.removesuffix(".__init__"))


def _source(shell: Any) -> str:
    cells = shell.user_ns.get("In") or [""]
    return str(cells[-1])


def _defines(source: str) -> list[str]:
    """The names that a cell assigns, imports or defines."""
    try:
        table = symbol_table(source)
    except (SyntaxError, ValueError):
        return []
    return [name.get_name() for name in table.get_symbols() if name.is_assigned() or name.is_imported()]


def watch_unwritten() -> None:
    """Speak calmly in this kernel. Where cells run without one, as in grading, nothing changes."""
    if (shell := jupyter_shell()) is not None:
        Unwritten(shell).install()
