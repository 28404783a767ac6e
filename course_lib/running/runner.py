"""The runner: keep a warm process, and run one notebook after another in its forks."""

from __future__ import annotations

import dataclasses
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from course_lib.checking.answers import Answers
from course_lib.running.cell import Cell
from course_lib.running.conversation import Conversation, Questions
from course_lib.running.frames import Line
from course_lib.running.limits import Limits
from course_lib.running.outcome import Outcome, Output
from course_lib.running.processes import processor_seconds
from course_lib.running.run_again import MOST_RUNS, Run

_LIBRARY = Path(__file__).resolve().parents[2]  #: the folder that contains course_lib
#: Python's option that keeps the current folder out of its path. Only the notebook's own process may import from there
#: (see `course_lib.running.notebook`), and no process that reads questions may
WITHOUT_FOLDER = ("-P",)
_START_SECONDS = 180.0  #: importing torch from a cold disk takes long


class CannotStart(RuntimeError):
    """The warm process did not start; the message quotes what it printed."""


class Runner:
    """Run one's own notebooks in separate processes, without a sandbox.

    Use it as a context manager and from one thread, because the kernel ends the warm process when the
    thread that started it ends.

    Args:
        limits: the limits of a run, unless the run gets its own.
        folder: the current folder of the cells; default: the current folder of this process.
        preload: modules to import once in the warm process, for notebooks that all need them.
    """

    def __init__(self, limits: Limits | None = None, folder: Path | None = None, preload: Sequence[str] = ()) -> None:
        if not hasattr(os, "fork"):
            raise CannotStart("Notebooks can be run like this on Linux and macOS; here, use check() in the notebook.")
        self.limits = limits or Limits()
        self.folder = folder
        self.preload = tuple(preload)
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._said: IO[bytes] | None = None
        self._closed = False

    def command(self) -> list[str]:
        """Return the command that starts the warm process."""
        return [sys.executable, *WITHOUT_FOLDER, "-m", "course_lib.running.fork_server", *self.preload]

    def environment(self) -> Mapping[str, str]:
        """Its environment."""
        paths = (str(_LIBRARY), os.environ.get("PYTHONPATH"))
        return {**os.environ, **plain_environment(), "PYTHONPATH": os.pathsep.join(filter(None, paths))}

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Start the warm process and wait until it has imported everything.

        Raises:
            CannotStart: it did not come up.
        """
        self.begin()
        self.wait_until_ready()

    def begin(self) -> None:
        """Start the warm process. Its imports take seconds, in which the caller can do something else."""
        if self._closed:
            raise CannotStart("it was stopped")
        command = self.command()
        ours, theirs = socket.socketpair()
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `stop`
        with theirs:
            self._process = subprocess.Popen(
                command,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=self._said,
                env=dict(self.environment()),
                cwd=self.folder,
                start_new_session=True,
            )
        self._control = ours

    def wait_until_ready(self) -> None:
        """Wait until the warm process has imported everything.

        Raises:
            CannotStart: it did not come up.
        """
        assert self._said is not None
        try:
            self._hear(b"r", _START_SECONDS)
        except OSError:
            self._said.seek(0)
            said = self._said.read()[-2000:].decode(errors="replace").strip()
            self.stop()
            raise CannotStart(f"The process that runs notebooks did not start. {said}") from None

    def stop(self) -> None:
        """End the warm process and every process that it started."""
        if self._control is not None:
            self._control.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        if self._said is not None:
            self._said.close()
        self._process = self._control = self._said = None

    def close(self) -> None:
        """End everything at once and for good, from any thread. A run in progress ends soon, without a result."""
        self._closed = True
        if process := self._process:
            process.kill()

    @property
    def processor_seconds(self) -> float | None:
        """Return the CPU seconds of everything that it has run so far, as counted by the kernel; None if unknown."""
        return processor_seconds(self._process.pid) if self._process else None

    def run(
        self,
        cells: Sequence[Cell],
        questions: Questions,
        limits: Limits | None = None,
        public: Questions | None = None,
    ) -> Outcome:
        """Run a notebook's cells and ask its exercises. Run it again with demo cells if a name is missing.

        Args:
            public: questions that are answered before the others, see `Conversation`. The key of their answers is
                `PUBLIC` plus the exercise's id.
        """
        before = self.processor_seconds
        outcome = self._run(cells, questions, limits or self.limits, public)
        after = self.processor_seconds
        if before is None or after is None or after < before:  # the warm process was restarted during the run
            return outcome
        return dataclasses.replace(outcome, processor_seconds=max(after - before, outcome.processor_seconds or 0.0))

    def _run(self, cells: Sequence[Cell], questions: Questions, limits: Limits, public: Questions | None) -> Outcome:
        """Run a notebook until every exercise is reached, if need be with demo cells or without a cell that ends it."""
        run, outcome = Run(tuple(cells)), Outcome("stopped")
        reasons, all_answers, outputs, seconds, used = (
            list[str](),
            dict[str, Answers](),
            dict[str, list[Output]](),
            0.0,
            0.0,
        )
        unseen: dict[str, str] = {}
        for _ in range(MOST_RUNS):
            outcome, next_run = self._run_once(run, questions, limits, public)
            seconds, used = seconds + outcome.seconds, used + (outcome.processor_seconds or 0.0)
            reasons.append(outcome.reason)
            all_answers, outputs = {**all_answers, **outcome.all_answers}, {**outputs, **outcome.outputs}
            unseen |= outcome.unseen
            if next_run is None:
                break
            run = next_run
        reason = next(filter(None, reasons), "")
        return dataclasses.replace(
            outcome,
            status="stopped" if reason and outcome.status == "graded" else outcome.status,
            reason=reason,
            all_answers=all_answers,
            outputs={cell.id: outputs[cell.id] for cell in cells if cell.id in outputs},
            seconds=seconds,
            processor_seconds=used or None,
            unseen=unseen,
        )

    def _run_once(
        self, run: Run, questions: Questions, limits: Limits, public: Questions | None
    ) -> tuple[Outcome, Run | None]:
        """Run a notebook once. Return the outcome, and how to run it again if some exercise was not reached."""
        try:
            line = self._new_line(limits)
        except (OSError, CannotStart) as error:
            self.stop()
            return Outcome("failed", f"it could not be run: {error}"), None
        conversation = Conversation(line, run.cells, questions, limits, run.demos, public, run.used)
        outcome = conversation.hold()
        try:
            self._hear(b"d", 0.0 if conversation.broken else 10.0)
        except OSError:
            self.stop()  # the next run starts a new one
        return outcome, run.after(conversation)

    def _new_line(self, limits: Limits) -> Line:
        """Open a line whose other end goes to the warm process, which passes it to a fork unread."""
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                self._pass(theirs)
            except OSError:  # it ended while nothing ran, which isn't this notebook's fault
                self.stop()
                self._pass(theirs)
        return Line(ours, longest=2 * max(limits.output_bytes, limits.answer_bytes))

    def _pass(self, end: socket.socket) -> None:
        if self._control is None:
            self.start()
        assert self._control is not None
        socket.send_fds(self._control, [b"n"], [end.fileno()])

    def _hear(self, expected: bytes, seconds: float) -> None:
        """Wait for a message from the warm process."""
        assert self._control is not None
        self._control.settimeout(max(seconds, 1e-3))
        if self._control.recv(1) != expected:
            raise OSError("the warm process ended")


def plain_environment() -> dict[str, str]:
    """Return the environment that makes runs repeatable: one thread, no window, the same hashes every time."""
    return {
        "OMP_NUM_THREADS": "1",
        "OMP_THREAD_LIMIT": "1",  # even if a cell asks for more, because an answerer is forked without them
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "OBJC_DISABLE_INITIALIZE_FORK_SAFETY": "YES",  # macOS
        "TORCH_COMPILE_DISABLE": "1",  # for what bypasses `torch.compile`, which the warm process replaces
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "COURSE_PARTS": "reference",  # overrides a switch that someone left on, see `course_lib.own_parts`
    }
