"""Grade a class. Every submission gets its points, or a reason why it has none."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

from autograder.grading.graded import Graded
from autograder.grading.grader import Grader
from autograder.grading.over_ours import Steps
from autograder.grading.pool import GivenUpError, Job, Pool, Ready
from autograder.grading.schedule import Schedule
from autograder.grading.set_up import SetUpError
from autograder.submissions.submission import Submission
from course_lib.course import CourseError
from course_lib.running.budgets import more_patient
from course_lib.running.notebook_file import UnreadableError
from course_lib.running.outcome import Outcome

Notebook = Any
Judged = tuple[Graded, Notebook | None]


def grade_class(grader: Grader, submissions: Iterable[Submission], pool: Pool) -> Generator[Judged]:
    """Grade submissions in the caller's thread, and yield each as soon as it is judged.

    If a submission did not finish because the machine was too busy, run it again after all others, alone and with
    longer limits. Run submissions with our versions of missing exercises last, see `Schedule`.

    Raises:
        CourseError: the course's own set-up cells failed in two submissions in a row, or the pool cannot go on.
    """
    there = list[Submission]()
    for submission in submissions:
        try:
            submission.require(most=0)
        except UnreadableError as error:  # reporting this takes neither keys nor a sandbox
            yield grader.failed(submission.student, str(error)), None
            continue
        except OSError:  # the error will occur again and be recorded then
            pass
        there.append(submission)
    if there:
        yield from _ClassGrading(grader, there).run(pool)


class _ClassGrading:
    """The state of grading a class.

    Args:
        there: the submissions that seem to be readable.
    """

    def __init__(self, grader: Grader, there: Sequence[Submission]) -> None:
        self._grader, self._there = grader, there
        self._schedule = Schedule(self._first())
        self._unread = list[Graded]()
        self._steps: dict[str, Steps] = {}  # of submissions that lack an exercise, by student
        self._patient = more_patient(grader.limits)

    def run(self, pool: Pool) -> Generator[Judged]:
        failed_before = False
        for job, done in pool.outcomes(self._grader, self._schedule, len(self._there)):
            graded, notebook, set_up_failed = None, None, ""
            try:
                if (outcome := self._final(job, done)) is not None:
                    graded, notebook = _judge(self._grader, job.one, outcome)
            except Exception as error:  # an error in one submission must not affect the others
                set_up_failed = str(error) if isinstance(error, SetUpError) else ""
                graded = replace(self._grader.failed_by(job.one.student, error), asked=True)
            self._schedule.ended()
            if graded is None:
                continue
            yield graded, notebook
            if set_up_failed and failed_before:
                raise CourseError(
                    f"Grading was stopped, because in two submissions in a row {set_up_failed}. It cost nobody a "
                    "point. Fix the lesson and run course build."
                )
            failed_before = bool(set_up_failed)
            while self._unread:
                yield self._unread.pop(), None
        for graded in self._unread:
            yield graded, None

    def _first(self) -> Iterator[Job]:
        """Yield every submission's own run."""
        for submission in self._there:
            try:
                one = self._grader.ready(submission)
                yield Job(one, self._grader.task(one.rebuilt))
            except Exception as error:
                self._unread.append(self._grader.failed_by(submission.student, error))

    def _final(self, job: Job, done: Future[Outcome]) -> Outcome | None:
        """Return the submission's outcome; None if another job follows."""
        outcome, student = done.result(), job.one.student
        if student in self._steps:
            return self._next_step(job.one, outcome)
        # after a hidden question, a second run could reveal it
        if not outcome.final and not outcome.asked and job.task.limits != self._patient:
            self._schedule.run_alone(Job(job.one, replace(job.task, limits=self._patient)))
            return None
        self._steps[student] = self._grader.steps(outcome, job.task)
        return self._next_step(job.one, None)

    def _next_step(self, one: Ready, outcome: Outcome | None) -> Outcome | None:
        """Schedule a submission's next run with our versions. Return its outcome if there is none.

        Args:
            outcome: the outcome of the last such run.
        """
        steps = self._steps[one.student]
        try:
            step = next(steps) if outcome is None else steps.send(outcome)
        except StopIteration as end:
            del self._steps[one.student]
            return end.value  # type: ignore[no-any-return]
        self._schedule.run_at(step.position, Job(one, step.task))
        return None


def _judge(grader: Grader, one: Ready, outcome: Outcome) -> Judged:
    """Judge an outcome that is final.

    Raises:
        GivenUpError: the run did not finish, so that its points would be unfair.
    """
    if not outcome.final:
        raise GivenUpError(
            f"it could not be run to its end ({outcome.reason}). Nobody lost points by that. Run course grade again, "
            "with fewer workers or on a machine that is less busy"
        )
    return grader.judge(one, outcome)
