"""When a lesson's own set-up cell fails: that is the course's failure, and costs nobody a point."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.grading.over_ours import Ours, over_ours
from autograder.grading.sandbox import Sandbox
from course_lib.running.cell import Cell
from course_lib.running.conversation import Questions
from course_lib.running.outcome import Outcome


class SetUpError(Exception):
    """The course's own set-up cells do not run, so that nobody can be graded; the message says which and why."""


def set_up_problem(cells: Sequence[Cell], outcome: Outcome) -> str:
    """What a released set-up cell seems to have stopped with; empty where none did.

    A student's own code may have caused it, or have made it up: see `require_set_up`.
    """
    for cell in cells:
        if cell.kind == "setup":
            for output in outcome.outputs.get(cell.id, ()):
                if output.get("output_type") == "error":
                    said = f"{output.get('ename', '')}: {output.get('evalue', '')}"[:200]
                    return f"cell {cell.id!r} stopped with {said}"
    return ""


def run_over_set_up(
    sandbox: Sandbox, cells: Sequence[Cell], questions: Questions, public: Questions, ours: Ours
) -> Outcome:
    """Run a submission over a set-up that works: pure, and nothing of its outcome is trusted.

    The public questions come first. What a card shows of them is answered before any process of this submission
    has seen a hidden one.

    Args:
        questions: the hidden ones.
        ours: takes the place of exercises that answer nothing, for those that build on them.

    Raises:
        SetUpError: the course's own set-up cells fail.
    """
    outcome = sandbox.run(cells, questions, public=public)
    require_set_up(sandbox, cells, outcome)
    return over_ours(outcome, cells, questions, ours, sandbox.run, sandbox.limits)


def require_set_up(sandbox: Sandbox, cells: Sequence[Cell], outcome: Outcome) -> None:
    """Where the set-up may have failed in a submission, run it once more with none of the student's code beside it.

    It runs in a sandbox that has run nothing before.

    Raises:
        SetUpError: it fails then, too.
    """
    never_answered = outcome.status == "stopped" and not outcome.sheets
    if not never_answered and not set_up_problem(cells, outcome):
        return
    sandbox.stop()
    alone = sandbox.run([cell for cell in cells if cell.kind == "setup"], {})
    problem = set_up_problem(cells, alone) or alone.reason
    if problem:
        raise SetUpError(f"the course's own set-up cell failed: {problem}")
