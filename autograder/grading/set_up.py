"""Recognise a failure of a lesson's own set-up cell, which is the course's fault and must not cost a student points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from autograder.grading.sandbox import Sandbox
from autograder.grading.task import Task
from course_lib.running.cell import Cell
from course_lib.running.conversation import Questions
from course_lib.running.limits import Limits
from course_lib.running.outcome import LATER, PUBLIC, Outcome

#: the least share of a run's time that the second run gets
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


def run_task(sandbox: Sandbox, task: Task, questions: Questions, public: Questions) -> Outcome:
    """Run a submission and make sure that the set-up works, or run it with our versions of missing exercises.

    Ask the public questions first, so that their answers, which cards show, exist before any process of this submission
    has seen a hidden question. Those of the second run are dropped, because they come after the first run's hidden
    questions. Nothing in the outcome is trusted.

    Args:
        questions: the hidden questions.

    Raises:
        SetUpError: the course's own set-up cells fail.
    """
    if task.over_ours:
        return sandbox.run(task.cells, {name: questions[name] for name in task.over_ours}, task.limits)
    outcome = sandbox.run(task.cells, questions, task.limits, public=public)
    require_set_up(sandbox, task.cells, outcome)
    asked = {cell.exercise for cell in task.later if cell.kind == "grade"} & questions.keys()
    if not asked or outcome.broken:
        return outcome
    questions, public = ({n: some[n] for n in some if n in asked} for some in (questions, public))
    # the second run sees nothing that the first one wrote
    return _with_later(outcome, sandbox.run(task.later, questions, _what_is_left(task.limits, outcome), public=public))


def _what_is_left(limits: Limits, outcome: Outcome) -> Limits:
    """Return the limits of the second run: the time that the first one's cells left, but at least a fifth."""
    return limits.shortened(max(_LEAST_SHARE, 1.0 - outcome.share_of(limits)))


def _with_later(outcome: Outcome, again: Outcome) -> Outcome:
    """Add the second run's answers to hidden questions to the first one's outcome."""
    hidden = {LATER + name: answers for name, answers in again.all_answers.items() if not name.startswith(PUBLIC)}
    return replace(outcome.with_cost_of(again), all_answers={**outcome.all_answers, **hidden})


def require_set_up(sandbox: Sandbox, cells: Sequence[Cell], outcome: Outcome) -> None:
    """If the set-up may have failed in a submission, run it again without any of the student's code, in a new sandbox.

    Raises:
        SetUpError: the set-up fails there, too.
    """
    never_answered = outcome.status == "stopped" and not outcome.all_answers
    if not never_answered and not set_up_problem(cells, outcome):
        return
    sandbox.stop()
    alone = sandbox.run([cell for cell in cells if cell.kind == "setup"], {})
    problem = set_up_problem(cells, alone) or alone.reason
    if problem:
        raise SetUpError(f"the course's own set-up cell failed: {problem}")
