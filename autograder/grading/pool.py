"""Run many submissions at a time while only a few are in memory.

`LocalPool` runs them in sandboxes on this machine. Other pools may run them elsewhere.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from autograder.grading.sandbox import Sandbox
from course_lib.course import CourseError
from course_lib.processors import usable_processors
from course_lib.running.runner import CannotStart

if TYPE_CHECKING:
    from autograder.grading.grader import Grader
    from autograder.grading.task import Task
    from course_lib.rebuilding.rebuild import Rebuilt
    from course_lib.running.outcome import Outcome

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Ready:
    """A submission that can be run.

    Attributes:
        digest: a digest of everything that determines the grade.
    """

    student: str
    digest: str
    rebuilt: Rebuilt


class Job(NamedTuple):
    """A submission, and what to run of it."""

    one: Ready
    task: Task


class GivenUpError(Exception):
    """A submission did not finish even when it was run again. The message is the reason that is recorded."""


class Pool(Protocol):
    """Runs submissions."""

    def outcomes(self, grader: Grader, jobs: Iterable[Job], most: int) -> Iterator[tuple[Job, Future[Outcome]]]:
        """Run jobs, and yield each with its outcome as soon as it is done.

        A future's exception concerns only its submission. An error that keeps all of them from running is raised.

        Args:
            jobs: the jobs, read one by one in the caller's thread as they can be run. They are read again after each
                job that ends, because more may have been added, see `Schedule`.
            most: the most jobs that there may be at a time.

        Raises:
            CourseError: no submission can be run, or no more of them.
        """


@dataclass(frozen=True)
class LocalPool:
    """Sandboxes on this machine, one for each worker and at most one for each processor."""

    workers: int

    def outcomes(self, grader: Grader, jobs: Iterable[Job], most: int) -> Iterator[tuple[Job, Future[Outcome]]]:
        """Run jobs, see `Pool`."""

        def run(sandbox: Sandbox, job: Job) -> Outcome:
            return grader.run(sandbox, job.task)

        workers = min(self.workers, most, usable_processors())
        return in_sandboxes(grader.sandbox, jobs, workers, run, lambda: grader.keys)


def in_sandboxes(
    make_sandbox: Callable[[], Sandbox],
    submissions: Iterable[Item],
    workers: int,
    run: Callable[[Sandbox, Item], Result],
    meanwhile: Callable[[], object] = lambda: None,
) -> Iterator[tuple[Item, Future[Result]]]:
    """Run submissions, and yield each with its result as soon as it is done.

    Each worker is a thread with its own sandbox. At most twice as many submissions as workers are in memory.

    Args:
        meanwhile: prepares what ``run`` needs. It is called while the sandboxes import modules.

    Raises:
        CourseError: a sandbox cannot start.
    """
    with ExitStack() as stack:
        idle: SimpleQueue[Sandbox] = SimpleQueue()
        try:
            sandboxes = [make_sandbox() for _ in range(workers)]
            for sandbox in sandboxes:
                stack.callback(sandbox.stop)
                sandbox.begin()
            meanwhile()
            for sandbox in sandboxes:
                sandbox.wait_until_ready()
                idle.put(sandbox)
        except CannotStart as error:
            raise CourseError(str(error)) from None
        except OSError as error:  # the disk is full, or there are too many processes
            raise CourseError(f"The sandbox cannot start: {error.strerror or error}.") from None
        pool = stack.enter_context(ThreadPoolExecutor(workers))
        stack.callback(pool.shutdown, cancel_futures=True)
        for sandbox in sandboxes:  # runs first, so that leaving early waits for no submission
            stack.callback(sandbox.close)

        def run_one(submission: Item) -> Result:
            sandbox = idle.get()
            try:
                return run(sandbox, submission)
            finally:
                idle.put(sandbox)

        waiting = iter(submissions)
        running: dict[Future[Result], Item] = {}
        while True:
            more = itertools.islice(waiting, 2 * workers - len(running))
            running |= {pool.submit(run_one, submission): submission for submission in more}
            if not running:
                return
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(done), done
