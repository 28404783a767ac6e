"""IPython without a kernel: cells run as in Jupyter, and what they show goes to a recorder."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from typing import Any

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets import Any as AnyTrait
from traitlets.config import Config

from course_lib.running.recorder import Recorder

_HERE = str(Path(__file__).parent)


class _ResultHook(DisplayHook):  # type: ignore[misc]
    """Records a cell's last expression."""

    def write_output_prompt(self) -> None:
        """Print no prompt, because a notebook shows the number itself."""

    def write_format_data(self, format_dict: dict[str, Any], md_dict: dict[str, Any] | None = None) -> None:
        """Record the result."""
        shell: NotebookShell = self.shell
        shell.recorder.bundle("execute_result", format_dict, md_dict, execution_count=self.prompt_count)

    def finish_displayhook(self) -> None:
        """Do nothing, because there is nothing to flush."""
        self._is_active = False


class _Publisher(DisplayPublisher):  # type: ignore[misc]
    """Records what is displayed."""

    def publish(self, data: dict[str, Any], metadata: Any = None, *_: Any, **__: Any) -> None:
        """Record a bundle. An update of an earlier display is recorded as one more."""
        self.shell.recorder.bundle("display_data", data, metadata)

    def clear_output(self, wait: bool = False) -> None:
        """Discard what the cell has shown."""
        self.shell.recorder.clear()


class NotebookShell(InteractiveShell):  # type: ignore[misc]
    """IPython's shell with a recorder in place of a screen."""

    recorder: Recorder = AnyTrait()
    system = InteractiveShell.system_raw  # what a program writes is found by `descriptors`

    def enable_gui(self, gui: str | None = None) -> None:
        """Do nothing, because windows are not available."""

    def ask_exit(self) -> None:
        """Do nothing on ``exit``."""

    def showtraceback(self, exc_tuple: Any = None, *args: Any, **kwargs: Any) -> None:
        """Record an exception. Shorten an endless recursion to the last calls: IPython takes seconds for a thousand."""
        error = (exc_tuple or sys.exc_info())[1]
        if isinstance(error, RecursionError):
            self._showtraceback(type(error), error, traceback.format_exception(error, limit=-6))
        else:
            super().showtraceback(exc_tuple, *args, **kwargs)

    def _format_exception_for_storage(self, exception: BaseException, *_: Any, **__: Any) -> dict[str, Any]:
        """Return nothing, so that nothing is formatted a second time."""
        return {"ename": type(exception).__name__, "evalue": "", "traceback": []}

    def _showtraceback(self, etype: type[BaseException], evalue: BaseException, stb: list[str]) -> None:
        lines = [str(line) for line in stb if _HERE not in str(line)]  # only the student's lines matter
        self.recorder.error(etype.__name__, _text_of(evalue), lines)


def _text_of(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # a student's exception may fail to describe itself
        return ""


def new_shell(recorder: Recorder) -> NotebookShell:
    """Create the process's shell, ready to run cells.

    It keeps no history on disk (its database would need a thread, and a process with threads
    cannot be forked safely), reads no configuration, and shows figures as PNG.
    """
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    shell = NotebookShell.instance(
        config=config, displayhook_class=_ResultHook, display_pub_class=_Publisher, recorder=recorder
    )
    assert isinstance(shell, NotebookShell)
    shell.enable_matplotlib("inline")
    return shell
