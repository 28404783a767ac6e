"""Explain why a submission has no score.

Code that was asked the question knows the sentences to translate, and readers of the leaderboard may submit again. The
student's code chooses the type, message and line of any exception after the question. So none of these is shown, except
a type that is one of Python's own. A rehearsal at home shows the rest. The output of cells before the question may be
quoted.
"""

from __future__ import annotations

from collections.abc import Iterable

from autograder.grading.exception_names import is_pythons_own
from course_lib.checking.answers import Error
from course_lib.checking.failure import Failure
from course_lib.running.outcome import Outcome, Output

SYMBOL = "train"  #: the name that a notebook defines

_REHEARSAL = "challenge.rehearse(train, renamed=True) shows"
UNSCORABLE = f"what it returned cannot be scored: {_REHEARSAL} what is missing, or too long"


def no_answer(error: Error, seconds: float, budget: float, outcome: Outcome) -> str:
    """Explain why there is no answer.

    Args:
        seconds: the CPU seconds used.
        budget: the CPU seconds that training and translating may take.
    """
    stopped = f"it was stopped: training and translating may take {budget:g} CPU seconds"
    match Failure.of(error) or error.type:
        case "NameError" if error.message == f"name {SYMBOL!r} is not defined":
            return f"the notebook defines no {SYMBOL}{_first_error(outcome)}"
        case "NotImplementedError":
            return f"it needs a part that is not written: {_REHEARSAL} which"
        case Failure.TIME_LIMIT:
            return stopped
        case Failure.DIED if seconds >= budget:
            return stopped
        case Failure.DIED:
            return "its process ended while it trained or translated: it crashed, or took too much memory"
        case Failure.UNANSWERED:
            return outcome.reason or Failure.UNANSWERED.sentence
        case Failure() as failure:  # its message may be forged
            return failure.sentence
    name = error.type if is_pythons_own(error.type) else "an exception of another kind than Python's own"
    return f"it stopped with {name}: {_REHEARSAL} where and why (processes and threads can be started only there)"


def error_of(outputs: Iterable[Output]) -> str:
    """Describe the exception that stopped a cell, if any."""
    return next((f"{o['ename']}: {o['evalue']}" for o in outputs if o.get("output_type") == "error"), "")


def _first_error(outcome: Outcome) -> str:
    """Describe the first exception of a cell, which is usually why a name is not defined."""
    for cell, outputs in outcome.outputs.items():
        if stopped := error_of(outputs):
            return f" (cell {cell} stops with {stopped})"[:300]
    return ""
