"""When a lesson's own set-up cell fails: that is the course's failure, and costs nobody a point."""

from __future__ import annotations

from autograder.grading.rebuild import Rebuilt
from autograder.grading.sandbox import Sandbox
from course_lib.running.outcome import Outcome


class SetUpError(Exception):
    """The course's own set-up cells do not run, so that nobody can be graded; the message says which and why."""


def set_up_problem(rebuilt: Rebuilt, outcome: Outcome) -> str:
    """What a released set-up cell seems to have stopped with; empty where none did.

    A student's own code may have caused it, or have made it up: see `require_set_up`.
    """
    for cell in rebuilt.cells:
        if cell.kind == "setup":
            for output in outcome.outputs.get(cell.id, ()):
                if output.get("output_type") == "error":
                    said = f"{output.get('ename', '')}: {output.get('evalue', '')}"[:200]
                    return f"cell {cell.id!r} stopped with {said}"
    return ""


def require_set_up(sandbox: Sandbox, rebuilt: Rebuilt, outcome: Outcome) -> None:
    """Where the set-up may have failed in a submission, run it once more with none of the student's code beside it.

    It runs in a sandbox that has run nothing before.

    Raises:
        SetUpError: it fails then, too.
    """
    never_answered = outcome.status == "stopped" and not outcome.sheets
    if not never_answered and not set_up_problem(rebuilt, outcome):
        return
    sandbox.stop()
    alone = sandbox.run([cell for cell in rebuilt.cells if cell.kind == "setup"], {})
    problem = set_up_problem(rebuilt, alone) or alone.reason
    if problem:
        raise SetUpError(f"the course's own set-up cell failed: {problem}")
