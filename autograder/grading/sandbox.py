"""The sandbox: runs hostile notebooks, and brings back what they showed and answered.

bubblewrap gives a warm process a world with nothing in it but the environment and `course_lib` as
released; each submission is a fork of that process with namespaces and limits of its own. See
`course_lib.running` for what happens inside, and `inside` for the walls around it.
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

_NUMBERS = itertools.count()  #: of sandboxes, which take turns with the processors


class Sandbox(Runner):
    """Runs submissions; use it as a context manager, and one for each worker.

    Args:
        library: the folder that holds `course_lib` as released for the lesson.
        limits: of one submission.
        sandboxed: False where there is no bubblewrap and the submissions are trusted: processes
            and time limits only.
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
        """Start the warm process; without a sandbox, in an empty folder that is removed with it.

        In the sandbox it and all it starts share one processor: processes that are over at once, and that nobody
        waits for, use time that nobody counts, but never another submission's.
        """
        if not self.sandboxed:
            self._temporary = TemporaryDirectory(prefix="course-")
            self.folder = Path(self._temporary.name)
            super().begin()
            return
        allowed = os.sched_getaffinity(0)
        try:
            os.sched_setaffinity(0, {sorted(allowed)[self._number % len(allowed)]})  # of this thread, and inherited
            super().begin()
        finally:
            os.sched_setaffinity(0, allowed)

    def stop(self) -> None:
        """End the warm process, and with it everything it started."""
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
        """Run a notebook's cells and have it answer.

        Where its processes end without a word, it is run once more in a fresh sandbox, unless one of them may have
        seen a hidden question: what a second run shows must not come from there.
        """
        outcome = super().run(cells, questions, limits, public)
        if self.sandboxed and outcome.broken and not questions.keys() & outcome.sheets.keys():
            self.stop()
            outcome = super().run(cells, questions, limits, public)
        return outcome

    def _run_once(
        self, run: Run, questions: Questions, limits: Limits, public: Questions | None
    ) -> tuple[Outcome, Run | None]:
        """The same, watched: a submission whose processes take too much together is ended, and the sandbox with it."""
        if not self.sandboxed:
            return super()._run_once(run, questions, limits, public)
        if self._process is None:
            with contextlib.suppress(CannotStart):  # the run will say so
                self.start()  # now: what it imports is not the submission's to answer for
        with Watch(self._first, limits, self._kill) as watch:
            outcome, again = super()._run_once(run, questions, limits, public)
        outcome = dataclasses.replace(outcome, processor_seconds=watch.seconds or None)
        if not watch.exceeded:
            return outcome, again
        self.stop()  # the monitor may have killed it when this run was over: the next must not begin in what is dying
        return dataclasses.replace(outcome, status="stopped", reason=watch.exceeded, broken=False), None

    def _first(self) -> int | None:
        return self._process.pid if self._process else None

    def _kill(self) -> None:
        """End everything at once; the next run starts it anew."""
        if process := self._process:  # which the thread that runs notebooks may stop meanwhile
            process.kill()

    def command(self) -> list[str]:
        """The warm process, in bubblewrap or not."""
        if not self.sandboxed:
            return super().command()
        start = [python_inside(), *WITHOUT_FOLDER, "-m", "inside.warm", *self.preload]
        return bubblewrap_command(self.library, start, _environment(Path("/tmp"), COURSE), self.private)

    def environment(self) -> Mapping[str, str]:
        """What bubblewrap itself sees: nothing, since a process could read it there."""
        return {} if self.sandboxed else _environment(self.folder or Path("/tmp"), self.library)


def _environment(home: Path, library: Path) -> dict[str, str]:
    """All that a submission sees of an environment: nothing of the grader's."""
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
