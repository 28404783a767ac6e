"""Grade a class. Every submission gets its points, or a reason why it has none."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from autograder.grading.graded import Graded
from autograder.grading.grader import Grader
from autograder.grading.pool import GivenUpError, Pool, Ready
from autograder.grading.set_up import SetUpError
from autograder.grading.submissions import Submission
from course_lib.course import CourseError
from course_lib.running.budgets import more_patient
from course_lib.running.notebook_file import UnreadableError
from course_lib.running.outcome import Outcome

Notebook = Any
Judged = tuple[Graded, Notebook | None]


def grade_class(grader: Grader, submissions: Iterable[Submission], pool: Pool) -> Generator[Judged]:
    """Grade submissions in the caller's thread, and yield each as soon as it is judged.

    If a submission did not finish because the machine was too busy, run it again after all others, alone and with
    longer limits.

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
    if not there:
        return
    once_more = list[Ready]()
    yield from _first_try(grader, there, pool, once_more)
    if once_more:
        yield from _second_try(replace(grader, limits=more_patient(grader.limits)), once_more, pool)


def _first_try(grader: Grader, there: Sequence[Submission], pool: Pool, once_more: list[Ready]) -> Generator[Judged]:
    """Run each submission once.

    Args:
        once_more: receives the submissions that deserve another try.
    """
    unread = list[Graded]()

    def ready() -> Iterator[Ready]:
        for submission in there:
            try:
                yield grader.ready(submission)
            except Exception as error:
                unread.append(grader.failed_by(submission.student, error))

    failed_before = False
    for one, done in pool.outcomes(grader, ready(), len(there)):
        notebook, set_up_failed = None, ""
        try:
            outcome = done.result()
            if not outcome.final and not outcome.asked:  # after a hidden question, a second run could reveal it
                once_more.append(one)
                continue
            graded, notebook = _judge(grader, one, outcome)
        except Exception as error:  # an error in one submission must not affect the others
            set_up_failed = str(error) if isinstance(error, SetUpError) else ""
            graded = replace(grader.failed_by(one.student, error), asked=True)
        yield graded, notebook
        if set_up_failed and failed_before:
            raise CourseError(
                f"Grading was stopped, because in two submissions in a row {set_up_failed}. It cost nobody a point. "
                "Fix the lesson and run course build."
            )
        failed_before = bool(set_up_failed)
        while unread:
            yield unread.pop(), None
    for graded in unread:
        yield graded, None


def _second_try(grader: Grader, once_more: Sequence[Ready], pool: Pool) -> Generator[Judged]:
    for one, done in pool.outcomes(grader, once_more, 1):
        notebook = None
        try:
            graded, notebook = _judge(grader, one, done.result())
        except Exception as error:
            graded = replace(grader.failed_by(one.student, error), asked=True)
        yield graded, notebook


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
