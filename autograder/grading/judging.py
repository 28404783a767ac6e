"""Turn an outcome into verdicts. If an exercise was asked twice, the version with more points counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from autograder.grading.hidden_keys import LessonKeys
from course_lib.checking.judge import NOT_REACHED, Verdict, complete
from course_lib.running.outcome import LATER, PUBLIC, Outcome


@dataclass(frozen=True)
class Judged:
    """An outcome with its verdicts.

    Attributes:
        outcome: the outcome with the answers of the versions that count, and only the public answers that cards show.
        verdicts: the verdicts by exercise id, in the lesson's order. Empty if nothing could be run.
        later: the exercises whose version below the check counts.
    """

    outcome: Outcome
    verdicts: Mapping[str, Verdict]
    later: tuple[str, ...] = ()


def judged(keys: LessonKeys, outcome: Outcome) -> Judged:
    """Judge an outcome from the sandbox."""
    if outcome.status == "failed":
        return Judged(outcome, {})
    all_answers = complete(keys.hidden, outcome.all_answers, outcome.reason or NOT_REACHED)
    asked_again = {
        name: outcome.all_answers[LATER + name] for name in keys.hidden if LATER + name in outcome.all_answers
    }
    verdicts, later = keys.judge(all_answers, asked_again)
    shown = {*keys.hidden, *(PUBLIC + name for name in keys.to_show(verdicts))}
    counted = _of_versions_that_count(outcome, later)
    counted = replace(
        counted, all_answers={name: answers for name, answers in counted.all_answers.items() if name in shown}
    )
    return Judged(counted, verdicts, later)


def _of_versions_that_count(outcome: Outcome, later: tuple[str, ...]) -> Outcome:
    """Return the outcome with the later version's answers for some exercises, and the first version's for others."""
    names = [name for exercise in later for name in (exercise, PUBLIC + exercise)]
    again = {name: outcome.all_answers[LATER + name] for name in later}
    first = {name: answers for name, answers in outcome.all_answers.items() if name not in names}
    over = {name: lacking for name, lacking in outcome.over_ours.items() if name not in names}
    over = {name: lacking for name, lacking in over.items() if not name.startswith(LATER)}
    over |= {name: outcome.over_ours[LATER + name] for name in later if LATER + name in outcome.over_ours}
    return replace(outcome, all_answers={**first, **again}, over_ours=over)
