"""Recognise a failure of a lesson's own set-up cell, which is the course's fault and must not cost a student points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from autograder.grading.over_ours import Ours, over_ours
from autograder.grading.sandbox import Sandbox
from course_lib.running.cell import Cell
from course_lib.running.conversation import Questions
from course_lib.running.limits import Limits
from course_lib.running.outcome import LATER, PUBLIC, Outcome

#: the least share of a run's processor time that the second run gets
_LEAST_SHARE = 0.2


class SetUpError(Exception):
    """The course's own set-up cells do not run, so nobody can be graded. The message names the cell and the reason."""


def set_up_problem(cells: Sequence[Cell], outcome: Outcome) -> str:
    """Describe the error of a released set-up cell. Return an empty string if there seems to be none.

    A student's code may have caused the error or faked it, see `require_set_up`.
    """
    for cell in cells:
        if cell.kind == "setup":
            for output in outcome.outputs.get(cell.id, ()):
                if output.get("output_type") == "error":
                    said = f"{output.get('ename', '')}: {output.get('evalue', '')}"[:200]
                    return f"cell {cell.id!r} stopped with {said}"
    return ""


def run_over_set_up(
    sandbox: Sandbox,
    cells: Sequence[Cell],
    later: Sequence[Cell],
    questions: Questions,
    public: Questions,
    ours: Ours,
) -> Outcome:
    """Run a submission, make sure that the set-up works, and run what builds on missing exercises again.

    Ask the public questions first, so that their answers, which cards show, exist before any process of this submission
    has seen a hidden question. Those of the second run are dropped, because they come after the first run's hidden
    questions. Nothing in the outcome is trusted.

    Args:
        later: the cells of a second run, see `course_lib.rebuilding.later`; it sees nothing that the first one wrote.
        questions: the hidden questions.
        ours: our versions, which replace exercises without answers for the exercises that build on them.

    Raises:
        SetUpError: the course's own set-up cells fail.
    """
    outcome = sandbox.run(cells, questions, public=public)
    require_set_up(sandbox, cells, outcome)
    asked = {cell.exercise for cell in later if cell.kind == "grade"} & questions.keys()
    asked = set() if outcome.broken else asked
    asked_later, public = ({n: some[n] for n in some if n in asked} for some in (questions, public))
    left = _what_is_left(sandbox.limits, outcome)
    again = sandbox.run(later, asked_later, left, public=public) if asked else None
    # last, because no code of the submission may run after our versions, which it could have kept somewhere
    outcome = over_ours(outcome, cells, questions, ours, sandbox.run, sandbox.limits)
    if again is None:
        return outcome
    return _with_later(outcome, over_ours(again, later, asked_later, ours, sandbox.run, sandbox.limits))


def _what_is_left(limits: Limits, outcome: Outcome) -> Limits:
    """Return the limits of the second run: the processor time that the first one's cells left, but at least a fifth."""
    used = (outcome.processor_seconds or 0.0) / limits.cells_seconds
    return limits.shortened(min(1.0, max(_LEAST_SHARE, 1.0 - used)))


def _with_later(outcome: Outcome, again: Outcome) -> Outcome:
    """Add the second run's answers to hidden questions to the first one's outcome."""
    hidden = {LATER + name: sheet for name, sheet in again.sheets.items() if not name.startswith(PUBLIC)}
    return replace(
        outcome.with_cost_of(again),
        sheets={**outcome.sheets, **hidden},
        over_ours={**outcome.over_ours, **{LATER + name: over for name, over in again.over_ours.items()}},
    )


def require_set_up(sandbox: Sandbox, cells: Sequence[Cell], outcome: Outcome) -> None:
    """If the set-up may have failed in a submission, run it again without any of the student's code, in a new sandbox.

    Raises:
        SetUpError: the set-up fails there, too.
    """
    never_answered = outcome.status == "stopped" and not outcome.sheets
    if not never_answered and not set_up_problem(cells, outcome):
        return
    sandbox.stop()
    alone = sandbox.run([cell for cell in cells if cell.kind == "setup"], {})
    problem = set_up_problem(cells, alone) or alone.reason
    if problem:
        raise SetUpError(f"the course's own set-up cell failed: {problem}")
