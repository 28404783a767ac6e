"""Find out for `course doctor` whether submissions can be run here."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import course_lib
from course_lib.rebuilding.finding import Finding


def examine_sandbox() -> Iterator[Finding]:
    """Start the sandbox once, because an environment that works outside may lack its packages inside."""
    if sys.platform != "linux":
        return
    from autograder.grading.bubblewrap import bubblewrap_unavailable
    from autograder.grading.sandbox import Sandbox
    from course_lib.running.runner import CannotStart

    if problem := bubblewrap_unavailable():
        fix = "Run: apt-get install bubblewrap" if "not installed" in problem else ""
        yield Finding("note", f"submissions cannot be graded here: {problem}", fix)
        return
    sandbox = Sandbox(Path(str(course_lib.__file__)).parents[1], preload=["torch"])
    try:
        sandbox.start()
        yield Finding("ok", "the sandbox for grading")
    except CannotStart as error:
        reason = str(error).strip().splitlines()[-1]
        fix = "Install the course and all its packages in one environment, in which pip put them itself."
        yield Finding("note", f"submissions cannot be graded here, because their sandbox does not start: {reason}", fix)
    finally:
        sandbox.stop()
