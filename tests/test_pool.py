"""What a run of the grader pays once: it is paid while something else is waited for."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from autograder.grading.pool import in_sandboxes
from autograder.grading.sandbox import Sandbox
from autograder.submissions.submission import Submission
from course_lib.course import CourseError
from course_lib.running.runner import CannotStart


class Noted:
    """Notes what is done with a sandbox; the second of them may fail to come up."""

    def __init__(self, done: list[str], fails: bool = False) -> None:
        self._done, self._fails = done, fails

    def begin(self) -> None:
        self._done.append("begin")

    def wait_until_ready(self) -> None:
        self._done.append("ready")
        if self._fails:
            raise CannotStart("no room")

    def close(self) -> None:
        self._done.append("close")

    def stop(self) -> None:
        self._done.append("stop")


def run(done: list[str], fails: bool = False) -> list[Any]:
    submissions = [Submission(name, Path(name)) for name in "abc"]
    results = in_sandboxes(
        lambda: cast(Sandbox, Noted(done, fails)),
        submissions,
        2,
        lambda sandbox, submission: submission.student,
        lambda: done.append("keys"),
    )
    return sorted(result.result() for _, result in results)


def test_keys_are_made_while_every_sandbox_starts() -> None:
    done: list[str] = []
    assert run(done) == ["a", "b", "c"]
    assert done == ["begin", "begin", "keys", "ready", "ready", "close", "close", "stop", "stop"]


def test_where_one_sandbox_cannot_start_all_are_stopped() -> None:
    done: list[str] = []
    with pytest.raises(CourseError, match="no room"):
        run(done, fails=True)
    assert done == ["begin", "begin", "keys", "ready", "stop", "stop"]
