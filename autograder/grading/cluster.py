"""Run submissions on the workers of a `dask.distributed` cluster.

Dask notices when a worker dies and runs its submissions on another one. The module `worker` contains the worker's part.
Judging and writing happen here, as they do when submissions run on this machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from autograder.first_few import first_few
from autograder.grading.pool import GivenUpError, Job
from autograder.grading.worker import Contents, Kit, Versions, differences, other_than, run, seen_here, versions
from course_lib.course import CourseError

if TYPE_CHECKING:
    from autograder.grading.grader import Grader
    from course_lib.running.outcome import Outcome

CONNECT_SECONDS = 10.0  #: how long a scheduler, and then its first worker, may take to answer
WITHOUT_WORKERS_SECONDS = 60.0  #: how long there may be no workers, because a worker that died is restarted
AHEAD = 4  #: the length of a worker thread's queue, so that it never waits for us
_LOOK_SECONDS = 1.0  #: the interval between checks for workers
_MOST_SAID = 3  #: the most addresses that are listed for the same problem

_DaskFuture = Any


@contextlib.contextmanager
def connect(scheduler: str, sandboxed: bool) -> Iterator[ClusterPool]:
    """Connect to a scheduler, and check that its workers can run submissions as this machine would.

    Args:
        scheduler: the scheduler's address, such as ``tcp://HOST:PORT``.
        sandboxed: whether workers need a sandbox.

    Raises:
        CourseError: there is no scheduler or no worker, or a worker cannot run submissions.
    """
    try:
        from distributed import Client
        from distributed.comm import connect as reach
    except ImportError as error:
        raise CourseError(
            f"A cluster's scheduler is talked to with dask.distributed, and {error.name or error} is not installed. "
            "Run: pip install -e '.[cluster]'"
        ) from None
    for name in ("distributed.client", "distributed.batched", "distributed.core"):  # a worker's death is handled below
        logging.getLogger(name).setLevel(logging.CRITICAL)

    async def knock() -> None:
        await (await reach(scheduler, timeout=CONNECT_SECONDS)).close()

    try:
        asyncio.run(knock())  # because a client without a scheduler logs a traceback
        client = Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, ImportError) as error:
        said = (str(error) or type(error).__name__).splitlines()[0].rstrip(".")
        raise CourseError(
            f"There is no scheduler at {scheduler}: {said}. Start one with: dask scheduler. It says its address, "
            "as tcp://HOST:8786, and this machine and every worker must be able to reach it."
        ) from None
    with client:
        _require_workers(client, scheduler, sandboxed)
        yield ClusterPool(scheduler, client)


def _require_workers(client: Any, scheduler: str, sandboxed: bool) -> None:
    """Require that there are workers, and that their versions are this machine's.

    Raises:
        CourseError: there is no worker, or one differs.
    """
    try:
        client.wait_for_workers(1, timeout=CONNECT_SECONDS)
    except TimeoutError:
        raise CourseError(
            f"The scheduler {scheduler} has no worker. Start one on each machine: dask worker {scheduler}"
        ) from None
    seen = client.run(seen_here, on_error="return")
    if problem := problems(versions(), seen, sandboxed):
        raise CourseError(problem)


def problems(made_with: Versions, seen: Mapping[str, Any], sandboxed: bool) -> str:
    """Explain why these workers cannot grade. Return an empty string if they can.

    Args:
        seen: the versions on each worker, or the exception that it raised instead, by address.
    """
    found: dict[str, list[str]] = {}
    for address, said in seen.items():
        if isinstance(said, BaseException):
            problem = f"cannot load the course ({said}). Install it there, as on this machine."
        elif differ := differences(made_with, said[0]):
            problem = f"has {differ}, {other_than(made_with)}"
        elif sandboxed and said[1]:
            problem = f"cannot run submissions in a sandbox: {said[1]}. Install bubblewrap there, or let it."
        else:
            continue
        found.setdefault(problem, []).append(address)
    return " ".join(f"{_some(addresses)} {problem}" for problem, addresses in found.items())


def _some(addresses: list[str]) -> str:
    """Name the first few workers, and the number of others."""
    return first_few(addresses, _MOST_SAID) + (", each of which" if len(addresses) > _MOST_SAID else "")


@dataclass
class ClusterPool:
    """A pool of a scheduler's workers, see `autograder.grading.pool.Pool`.

    Attributes:
        client: the client of dask.distributed, connected to the scheduler.
    """

    scheduler: str
    client: Any
    _threads: int = field(default=1, init=False)
    _last_seen: float = field(default=0.0, init=False)  #: the last time at which there was a worker

    def outcomes(self, grader: Grader, jobs: Iterable[Job], most: int) -> Iterator[tuple[Job, Future[Outcome]]]:
        """Run jobs, see `Pool`. If a worker dies, run its jobs on another.

        The scheduler gives up on a submission if several workers die while they have it. Another submission on these
        workers may have been the cause, so run it once more, alone, after all others.
        """
        from dask import config
        from distributed.scheduler import KilledWorker

        self._look_for_workers()
        contents = Contents(
            grader.lesson, grader.files(), grader.limits, grader.sandboxed, grader.keys.questions,
            grader.keys.public_questions, grader.private,
        )  # fmt: skip
        # submit the kit instead of scattering it, so that the scheduler can recreate it if all workers that have it die
        with config.set({"distributed.admin.large-graph-warning-threshold": "1GB"}):
            kit = self.client.submit(Kit, contents.packed(), versions(), key=f"course-kit-{uuid.uuid4()}")
        jobs = iter(jobs)
        while True:
            suspects = []
            for job, done in self._run(kit, jobs, lambda: AHEAD * self._threads):
                if isinstance(done.exception(), KilledWorker):
                    suspects.append(job)
                else:
                    yield job, done
            if not suspects:
                return
            for job, done in self._run(kit, iter(suspects), lambda: 1):
                if isinstance(killed := done.exception(), KilledWorker):
                    done = _given_up(killed.allowed_failures + 1)  # noqa: PLW2901 - in the words of a record
                yield job, done

    def _run(self, kit: _DaskFuture, waiting: Iterator[Job], room: Any) -> Iterator[tuple[Job, Future[Outcome]]]:
        """Run up to ``room()`` jobs at a time."""
        ended = SimpleQueue[_DaskFuture]()
        running: dict[str, tuple[Job, _DaskFuture]] = {}
        try:
            while True:
                for job in itertools.islice(waiting, max(0, room() - len(running))):
                    future = self.client.submit(run, kit, job.task, key=f"course-run-{uuid.uuid4()}")
                    running[future.key] = job, future
                    future.add_done_callback(ended.put)
                if not running:
                    return
                while (done := self._outcome(ended)) is None:
                    self._look_for_workers()
                key, outcome = done
                yield running.pop(key)[0], outcome
        finally:
            if running:
                self.client.cancel([future for _, future in running.values()])

    def _outcome(self, ended: SimpleQueue[_DaskFuture]) -> tuple[str, Future[Outcome]] | None:
        """Wait a short time for a submission to end, and return its outcome, if there is one.

        Raises:
            CourseError: a worker reports that it cannot run submissions, or the scheduler is gone.
        """
        try:
            future = ended.get(timeout=_LOOK_SECONDS)
        except Empty:
            return None
        done = Future[Any]()
        try:
            done.set_result(future.result(timeout=10 * _LOOK_SECONDS))
        except CourseError:
            raise
        except TimeoutError:  # the worker died before the result was fetched, so the submission is run again
            future.add_done_callback(ended.put)
            return None
        except Exception as error:
            if future.cancelled():
                raise CourseError(f"The scheduler {self.scheduler} is gone.") from None
            done.set_exception(error)
        return future.key, done

    def _look_for_workers(self) -> None:
        """Count the workers' threads.

        Raises:
            CourseError: there have been no workers for a while.
        """
        now = time.monotonic()
        if self.client.status == "running" and (threads := sum(self.client.nthreads().values())):
            self._threads, self._last_seen = threads, now
        elif now - self._last_seen > WITHOUT_WORKERS_SECONDS:
            raise CourseError(
                f"The scheduler {self.scheduler} is gone, or has had no worker for {WITHOUT_WORKERS_SECONDS:g} s."
            )


def _given_up(times: int) -> Future[Outcome]:
    """Return the outcome of a submission with which every worker died."""
    done = Future[Any]()
    workers = "its worker" if times == 1 else f"{times} workers in a row"
    done.set_exception(GivenUpError(f"{workers} died while running it, and again when nothing else ran: look at it"))
    return done
