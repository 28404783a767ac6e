"""No submission runs after another one has run with our version of an exercise that the first is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

from autograder.grading.pool import Job, Ready, in_sandboxes
from autograder.grading.sandbox import Sandbox
from autograder.grading.schedule import Schedule
from autograder.grading.task import Task
from course_lib.running.limits import Limits


class Idle:
    """A sandbox that runs nothing."""

    def begin(self) -> None: ...
    def wait_until_ready(self) -> None: ...
    def close(self) -> None: ...
    def stop(self) -> None: ...


def job(student: str, *over_ours: str) -> Job:
    return Job(Ready(student, "", cast(Any, None)), Task((), Limits(), over_ours=over_ours))


def order_of(workers: int, first: Iterator[Job], follow: Callable[[Schedule, Job], None]) -> list[str]:
    """Return the students in the order in which their jobs began and ended.

    Args:
        follow: adds the jobs that follow from one that has ended.
    """
    events, schedule = [], Schedule(first)

    def run(sandbox: Sandbox, one: Job) -> None:
        events.append(f"{one.one.student} begins")

    for one, done in in_sandboxes(lambda: cast(Sandbox, Idle()), schedule, workers, run):
        done.result()
        events.append(f"{one.one.student} ends")
        follow(schedule, one)
        schedule.ended()
    return events


def test_all_own_runs_end_then_those_that_run_alone_and_then_each_position() -> None:
    def follow(schedule: Schedule, one: Job) -> None:
        match one.one.student:
            case "a":
                schedule.run_at(2, job("a over 2"))
            case "b":
                schedule.run_alone(job("b alone"))
            case "c":
                schedule.run_alone(job("c alone"))
            case "b alone":
                schedule.run_at(1, job("b over 1"))
            case "b over 1":
                schedule.run_at(2, job("b over 2"))

    for workers in (1, 3):
        events = order_of(workers, map(job, "abcdefg"), follow)
        for phase in ({*"abcdefg"}, {"b alone", "c alone"}, {"b over 1"}, {"a over 2", "b over 2"}):
            now, events = events[: 2 * len(phase)], events[2 * len(phase) :]
            assert {event.rpartition(" ")[0] for event in now} == phase
            if "b alone" in phase:
                assert [event.rpartition(" ")[2] for event in now] == ["begins", "ends"] * 2
        assert not events


def test_a_job_that_follows_another_is_added_before_the_pool_seems_empty() -> None:
    def follow(schedule: Schedule, one: Job) -> None:
        if one.one.student == "only":
            schedule.run_at(0, job("again"))

    assert order_of(2, iter([job("only")]), follow) == ["only begins", "only ends", "again begins", "again ends"]
