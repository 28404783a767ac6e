"""Many submissions in several sandboxes at once, few of them in memory."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from queue import SimpleQueue
from typing import TypeVar

from autograder.grading.sandbox import Sandbox
from autograder.grading.submissions import Submission
from course_lib.course import CourseError
from course_lib.running.runner import CannotStart

Result = TypeVar("Result")


def in_sandboxes(
    make_sandbox: Callable[[], Sandbox],
    submissions: Iterable[Submission],
    workers: int,
    run: Callable[[Sandbox, Submission], Result],
    meanwhile: Callable[[], object] = lambda: None,
) -> Iterator[tuple[Submission, Future[Result]]]:
    """Run submissions, and yield each with what became of it as soon as it is done.

    Each worker is a thread that drives a sandbox of its own. No more than twice as many submissions as workers are in
    memory.

    Args:
        meanwhile: what ``run`` needs; called while the sandboxes import what submissions use.

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
        except OSError as error:  # no room for temporary files, no more processes
            raise CourseError(f"The sandbox cannot start: {error.strerror or error}.") from None
        pool = stack.enter_context(ThreadPoolExecutor(workers))
        stack.callback(pool.shutdown, cancel_futures=True)  # where this is left early, only what runs is waited for

        def run_one(submission: Submission) -> Result:
            sandbox = idle.get()
            try:
                return run(sandbox, submission)
            finally:
                idle.put(sandbox)

        waiting = iter(submissions)
        running: dict[Future[Result], Submission] = {}
        while True:
            more = itertools.islice(waiting, 2 * workers - len(running))
            running |= {pool.submit(run_one, submission): submission for submission in more}
            if not running:
                return
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(done), done
