"""Run hostile notebooks in a sandbox, and return their output and their answers.

bubblewrap starts a fork server in a file system that contains only the environment and the released `course_lib`. Each
submission runs in a fork with its own namespaces and limits. `course_lib.running` contains the code that runs inside,
and `inside` the code that isolates it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from autograder.grading.bubblewrap import bubblewrap_command
from autograder.grading.resource_monitor import Watch
from autograder.grading.visible import COURSE, python_inside
from course_lib.running.cell import Cell
from course_lib.running.conversation import Questions
from course_lib.running.limits import Limits
from course_lib.running.outcome import Outcome
from course_lib.running.run_again import Run
from course_lib.running.runner import WITHOUT_FOLDER, CannotStart, Runner, plain_environment

_NUMBERS = itertools.count()  #: numbers the sandboxes, to spread them over the processors


class Sandbox(Runner):
    """Runs submissions. Use it as a context manager, with one for each worker.

    Args:
        library: the folder that contains the `course_lib` released for the lesson.
        limits: the limits for one submission.
        sandboxed: False if bubblewrap is missing and the submissions are trusted. They then run in separate processes
            with time limits only.
        preload: modules to import once, for lessons whose notebooks all need them.
        private: folders with students' work, which no submission may see.
    """

    def __init__(
        self,
        library: Path,
        limits: Limits | None = None,
        *,
        sandboxed: bool = True,
        preload: Sequence[str] = (),
        private: Sequence[Path] = (),
    ) -> None:
        super().__init__(limits, preload=preload)
        self.library = library.resolve()
        self.private = tuple(private)
        self.sandboxed = sandboxed
        self._number = next(_NUMBERS)
        self._temporary: TemporaryDirectory[str] | None = None

    def begin(self) -> None:
        """Start the fork server. Without a sandbox, start it in an empty folder that is removed at the end.

        In the sandbox, the fork server and all its descendants share one processor. The time of short-lived processes
        that nobody waits for is not counted, but it is never taken from another submission.
        """
        if not self.sandboxed:
            self._temporary = TemporaryDirectory(prefix="course-")
            self.folder = Path(self._temporary.name)
            super().begin()
            return
        allowed = os.sched_getaffinity(0)
        try:
            os.sched_setaffinity(0, {sorted(allowed)[self._number % len(allowed)]})  # for this thread and its children
            super().begin()
        finally:
            os.sched_setaffinity(0, allowed)

    def stop(self) -> None:
        """End the fork server and everything it started."""
        super().stop()
        if self._temporary is not None:
            self._temporary.cleanup()
        self._temporary = None

    def run(
        self,
        cells: Sequence[Cell],
        questions: Questions,
        limits: Limits | None = None,
        public: Questions | None = None,
    ) -> Outcome:
        """Run a notebook's cells, and ask its code the questions.

        If its processes end without an outcome, run it again in a new sandbox, unless one of them may have seen a
        hidden question, which the output of a second run could contain.
        """
        outcome = super().run(cells, questions, limits, public)
        if self.sandboxed and outcome.broken and not questions.keys() & outcome.all_answers.keys():
            self.stop()
            outcome = super().run(cells, questions, limits, public)
        return outcome

    def _run_once(
        self, run: Run, questions: Questions, limits: Limits, public: Questions | None
    ) -> tuple[Outcome, Run | None]:
        """Run the notebook, and end it together with the sandbox if its processes use too much in total."""
        if not self.sandboxed:
            return super()._run_once(run, questions, limits, public)
        if self._process is None:
            with contextlib.suppress(CannotStart):  # the run will report it
                self.start()  # start it now, because its imports must not count against the submission
        with Watch(self._first, limits, self._kill) as watch:
            outcome, again = super()._run_once(run, questions, limits, public)
        outcome = dataclasses.replace(outcome, processor_seconds=watch.seconds or None)
        if not watch.exceeded:
            return outcome, again
        self.stop()  # the monitor may have killed it after this run, and the next run must not use a dying sandbox
        return dataclasses.replace(outcome, status="stopped", reason=watch.exceeded, broken=False), None

    def _first(self) -> int | None:
        return self._process.pid if self._process else None

    def _kill(self) -> None:
        """Kill everything immediately. The next run starts it again."""
        if process := self._process:  # the thread that runs notebooks may stop it at any time
            process.kill()

    def command(self) -> list[str]:
        """Return the command that starts the fork server, in bubblewrap or without."""
        if not self.sandboxed:
            return super().command()
        start = [python_inside(), *WITHOUT_FOLDER, "-m", "inside.warm", *self.preload]
        return bubblewrap_command(self.library, start, _environment(Path("/tmp"), COURSE), self.private)

    def environment(self) -> Mapping[str, str]:
        """Return the environment of bubblewrap itself, which is empty because a submission could read it."""
        return {} if self.sandboxed else _environment(self.folder or Path("/tmp"), self.library)


def _environment(home: Path, library: Path) -> dict[str, str]:
    """Return a submission's environment variables, with none of the grader's."""
    return {
        **plain_environment(),
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "HOME": str(home),
        "USER": "student",
        "LOGNAME": "student",
        "MPLCONFIGDIR": str(home / "matplotlib"),
        "IPYTHONDIR": str(home / "ipython"),
        "PYTHONNOUSERSITE": "1",
        "PYTHONPATH": str(library),
    }
