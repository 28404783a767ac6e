"""Why a submission has no score.

Whoever was asked knows the sentences to be translated, and the leaderboard is read by those who may try once more.
Type, message and line of an exception that came after the question are texts of the student's choice. So no text and
no line of theirs is handed on, and of the type only one of Python's own names: at home, a rehearsal shows the rest.
What cells showed before the question was put may be quoted.
"""

from __future__ import annotations

from collections.abc import Iterable

from autograder.grading.exception_names import is_pythons_own
from course_lib.checking.failure import Failure
from course_lib.checking.sheet import Error
from course_lib.running.outcome import Outcome, Output

SYMBOL = "train"  #: what a notebook defines

_REHEARSAL = "challenge.rehearse(train, renamed=True) shows"
UNSCORABLE = f"what it returned cannot be scored: {_REHEARSAL} what is missing, or too long"


def no_answer(error: Error, seconds: float, budget: float, outcome: Outcome) -> str:
    """The reason, from what stood in the way of an answer.

    Args:
        seconds: of processor time that were used.
        budget: that training and translating may take.
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
    """The exception that a cell stopped with, if it did."""
    return next((f"{o['ename']}: {o['evalue']}" for o in outputs if o.get("output_type") == "error"), "")


def _first_error(outcome: Outcome) -> str:
    """The first exception of a cell: most often it is why something is not defined."""
    for cell, outputs in outcome.outputs.items():
        if stopped := error_of(outputs):
            return f" (cell {cell} stops with {stopped})"[:300]
    return ""
