"""The notebook's process: run the cells, and report each one's output to the supervisor."""

from __future__ import annotations

import contextlib
import importlib
import json
import random
import resource
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from types import FrameType

import numpy as np
import torch

from course_lib.running.answerer import park
from course_lib.running.budgets import Budgets
from course_lib.running.cell import Cell
from course_lib.running.descriptors import Descriptors
from course_lib.running.frames import Line
from course_lib.running.limits import Limits
from course_lib.running.recorder import Recorder, Stream
from course_lib.running.shell import NotebookShell

_SHORTEST = 0.01  #: seconds; a timer that is set to 0 never fires


class TimeLimit(BaseException):
    """A cell ran too long. It isn't an `Exception`, so a cell's ``except Exception`` doesn't catch it."""


class Notebook:
    """One run of a notebook's cells.

    Args:
        supervisor: the line to the supervisor, for reports.
        answerers: the line for each answerer, by exercise id.
        used: the seconds that earlier runs of the notebook used, see `Budgets`.
    """

    def __init__(
        self,
        shell: NotebookShell,
        limits: Limits,
        supervisor: Line,
        answerers: Mapping[str, Line],
        used: Mapping[str, float],
    ) -> None:
        self.shell = shell
        self.limits = limits
        self.supervisor = supervisor
        self.answerers = dict(answerers)
        self.recorder = Recorder(limits)
        shell.recorder = self.recorder
        self.budgets = Budgets(limits, used)
        self.descriptors = Descriptors()
        self.streams = Stream(self.recorder, "stdout", 1), Stream(self.recorder, "stderr", 2)
        for late in (signal.SIGALRM, signal.SIGPROF):  # the supervisor sends both, and our own timer sends the second
            signal.signal(late, self._stop_cell)
        self._allowance = self.budgets.allowance("setup")
        sys.path.insert(0, "")  # the current folder, as in Jupyter, for imports of files that a notebook writes
        # code that samples without setting a seed gets the same numbers in every run
        random.seed(0)
        np.random.seed(0)
        torch.manual_seed(0)

    def run(self, cells: Sequence[Cell], demos: bool) -> None:
        """Run the cells in order. An error in one doesn't stop the following ones."""
        for cell in cells:
            if cell.kind == "grade":
                self._park(cell)
            elif demos or cell.kind != "demo":
                self._run(cell)
        self.supervisor.send({"is": "finished"})

    def _run(self, cell: Cell) -> None:
        self.supervisor.send({"is": "start", "cell": cell.id})
        error: BaseException | None = None
        sys.stdout, sys.stderr = self.streams  # a cell may have replaced them
        importlib.invalidate_caches()  # this cell may import a file that the previous one wrote
        self._allowance = self.budgets.allowance(cell.kind)
        used = _processor_seconds()
        try:
            signal.setitimer(signal.ITIMER_PROF, max(self._allowance.processor, _SHORTEST))
            result = self.shell.run_cell(cell.source, store_history=True)
            error = result.error_before_exec or result.error_in_exec
        except TimeLimit as late:  # the signal arrived while IPython cleaned up
            error = late
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        self.budgets.spend(cell.kind, _processor_seconds() - used, 0.0, 0.0)
        self.descriptors.empty_into(self.recorder)
        if error is not None and not self.recorder.has_error:
            self.recorder.error(type(error).__name__, str(error) if isinstance(error, TimeLimit) else "", [])
        self.supervisor.send(
            {
                "is": "cell",
                "cell": cell.id,
                "missing": (error.name or "") if isinstance(error, NameError) else "",
                "late": isinstance(error, TimeLimit),
            },
            # escaped, non-ASCII text would be two to six times as long
            json.dumps(self.recorder.take(), ensure_ascii=False).encode("utf-8", "replace"),
        )

    def _park(self, cell: Cell) -> None:
        """Fork a snapshot that will answer the exercise's questions."""
        line = self.answerers.pop(cell.exercise, None)
        if line is None:
            return
        known = cell.symbol in self.shell.user_ns
        with contextlib.suppress(OSError):  # no room for another process, so nobody will answer
            if known:
                park(self.shell.user_ns[cell.symbol], line, self.limits, self._leave_to_answerer)
        line.close()
        self.supervisor.send({"is": "reached", "exercise": cell.exercise, "known": known})

    def _leave_to_answerer(self) -> None:
        self.supervisor.close()
        for later in self.answerers.values():
            later.close()

    def _stop_cell(self, signum: int, frame: FrameType | None) -> None:
        if signum == signal.SIGPROF:
            raise TimeLimit(f"stopped after {self._allowance.processor:.3g} seconds of processor time")
        raise TimeLimit("stopped, because it waited for too long without using the processor")


def _processor_seconds() -> float:
    """Return the processor time of this process and of the children that it has waited for."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime
