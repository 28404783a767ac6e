"""Say in one sentence what a cell of the lesson needs: a part that is not written, or a cell that has not run."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from types import TracebackType
from typing import Any

from course_lib.kernel.jupyter_shell import jupyter_shell
from course_lib.own_notebooks import saved_cells
from course_lib.session import CURRENT
from course_lib.syntax import symbol_table


@dataclass(frozen=True)
class Waiting:
    """What a cell waits for. In a notebook, it is shown as one line.

    Attributes:
        part: the name that the cell needs.
        sentence: what to do, with ``{}`` for the name.
    """

    part: str
    sentence: str

    def __str__(self) -> str:
        return self.sentence.format(self.part)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        text = escape(self.sentence).format(f"<code>{escape(self.part)}</code>")
        return f'<div role="note" style="border-left:5px solid #b0b0b0;padding:0.3em 1em;margin:0.4em 0">{text}</div>'


_UNWRITTEN = "This cell needs {}, which you haven't written yet. Write it, run its cell, then run this one."
_PASSED_ON = "This cell goes on where one above stopped. It will run once {} is written."
_SKIPPED = (
    "This cell needs {}, and the cell above that defines it hasn't run yet. Run that cell, then this one. "
    "(In JupyterLab, Run → Run All Above Selected Cell runs everything above.)"
)
_STOPPED = "This cell needs {}, and the cell above that defines it {}. Correct that cell, run it, then run this one."


class Unwritten:
    """Watches a notebook for cells that stop because a part is not written.

    Args:
        shell: IPython's, of a kernel.
    """

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._missing: dict[str, str] = {}  # what a stopped cell would have defined: the part that it waits for

    def install(self) -> None:
        """Begin to watch."""
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
        for name in _defines(_source(shell)) if waiting.sentence in (_UNWRITTEN, _PASSED_ON) else ():
            if name not in shell.user_ns:
                self._missing[name] = waiting.part

    def _waiting(self, error: BaseException, trace: TracebackType | None) -> Waiting | None:
        """Return what the cell waits for, or None if it is an error like others."""
        if isinstance(error, NameError):
            name = error.name or ""
            if part := self._missing.get(name):
                return Waiting(part, _PASSED_ON)
            if name not in _defined_above(_source(self._shell)):
                return None
            stopped = CURRENT.definitions.stopped(name) if CURRENT.definitions else ""
            return Waiting(name, _STOPPED.format("{}", stopped) if stopped else _SKIPPED)
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        if trace is None or trace.tb_frame.f_globals is not self._shell.user_global_ns:
            return None  # a library's own
        code = trace.tb_frame.f_code
        name = code.co_qualname.removesuffix(".__init__")
        return None if code.co_name == "<module>" or error.args else Waiting(name, _UNWRITTEN)


def _source(shell: Any) -> str:
    cells = shell.user_ns.get("In") or [""]
    return str(cells[-1])


def _defined_above(source: str) -> set[str]:
    """Return the names that the cells above a cell define, as far as the notebook's file shows."""
    names: set[str] = set()
    for cell in saved_cells():
        if cell.source == source.strip():
            return names
        names.update(_defines(cell.source))
    return set()


def _defines(source: str) -> list[str]:
    """Return the names that a cell assigns, imports or defines."""
    try:
        table = symbol_table(source)
    except (SyntaxError, ValueError):
        return []
    return [name.get_name() for name in table.get_symbols() if name.is_assigned() or name.is_imported()]


def watch_unwritten() -> None:
    """Watch this kernel's cells. Where cells run without a kernel, as in grading, nothing changes."""
    if (shell := jupyter_shell()) is not None:
        Unwritten(shell).install()
