"""`course grade`, and where its time goes: the same command, with a watch on each of its stages.

    python -m benchmarks.stages FILE LESSON --submissions DIR

`FILE` is written as JSON: by stage, seconds by the clock and of the processor. A stage that another
one interrupts stands still meanwhile, so the stages add up. Of processor time, sandboxes count from
when they are started; the kernel counts, and the grader's own children would not tell of them.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

STARTED = time.perf_counter()


@dataclass
class Stages:
    """Seconds by stage; the innermost one that is open gets them."""

    wall: dict[str, float] = field(default_factory=dict)
    cpu: dict[str, float] = field(default_factory=dict)
    _open: list[str] = field(default_factory=list)
    _last: tuple[float, float] = (STARTED, 0.0)

    def book(self) -> None:
        """Give what has passed since the last time to the stage that is open."""
        now = (time.perf_counter(), time.process_time())
        if self._open:
            name = self._open[-1]
            self.wall[name] = self.wall.get(name, 0.0) + now[0] - self._last[0]
            self.cpu[name] = self.cpu.get(name, 0.0) + now[1] - self._last[1]
        self._last = now

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """What passes within belongs to this stage."""
        self.book()
        self._open.append(name)
        try:
            yield
        finally:
            self.book()
            self._open.pop()

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, as a stage."""

        def run(*arguments: Any, **named: Any) -> Any:
            with self.stage(name):
                return function(*arguments, **named)

        return run


def main() -> None:
    """Grade, and write down the stages."""
    file, stages = Path(sys.argv.pop(1)), Stages()
    sys.argv.insert(1, "grade")
    stages._open.append("imports")  # the interpreter's own start included
    from course_lib.app import main as command

    command.prepare("grade")  # before anything is imported that it is for
    from autograder.gradebook.gradebook import Records
    from autograder.grading import grader
    from autograder.grading.sandbox import Sandbox
    from autograder.records.archive import Archive

    stages.book()
    stages._open.clear()
    used: dict[int, float] = {}

    def ready(self: Sandbox, wait: Callable[[Sandbox], None] = Sandbox.wait_until_ready) -> None:
        with stages.stage("sandboxes start"):
            wait(self)
        used[id(self)] = self.processor_seconds or 0.0
        stages.cpu["sandboxes start"] += used[id(self)]

    def stop(self: Sandbox, end: Callable[[Sandbox], None] = Sandbox.stop) -> None:
        more = (self.processor_seconds or 0.0) - used.pop(id(self), 0.0)
        stages.cpu["submissions"] = stages.cpu.get("submissions", 0.0) + more
        end(self)

    for owner, attribute, name in (
        (grader, "make_grader", "library, digests"),
        (grader, "lesson_keys", "hidden keys"),
        (Records, "__enter__", "gradebook"),
        (Records, "register", "gradebook"),
        (Records, "students", "gradebook"),
        (Sandbox, "begin", "sandboxes start"),
        (Records, "save", "saving"),
        (Archive, "save", "saving"),
    ):
        setattr(owner, attribute, stages.timed(name, getattr(owner, attribute)))
    Sandbox.wait_until_ready, Sandbox.stop = ready, stop  # type: ignore[method-assign]
    try:
        with stages.stage("submissions"):
            command.main()
    finally:
        file.write_text(json.dumps({name: [stages.wall[name], stages.cpu[name]] for name in stages.wall}))


if __name__ == "__main__":
    main()
