"""Turn an outcome into verdicts. If an exercise was asked twice, the version with more points counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from autograder.grading.hidden_keys import LessonKeys
from course_lib.checking.judge import NOT_REACHED, Verdict, complete, wrong_while_watched
from course_lib.running.outcome import LATER, OVER_OURS, PUBLIC, Outcome


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
    counted = _of_versions_that_count(outcome, later)
    better = _better_over_ours(keys, outcome, verdicts)
    verdicts |= better
    counted = _over_ours(counted, better)
    shown = {*keys.hidden, *(PUBLIC + name for name in keys.to_show(verdicts))}
    counted = replace(
        counted, all_answers={name: answers for name, answers in counted.all_answers.items() if name in shown}
    )
    return Judged(counted, verdicts, later)


def written_elsewhere(keys: LessonKeys, outcome: Outcome, verdicts: Mapping[str, Verdict]) -> list[str]:
    """Return the exercises that earn half of their points or more although they are wrong while they are watched.

    A known mistake explains that without a finished function.
    """
    return [
        name
        for name, verdict in verdicts.items()
        if verdict.score >= 0.5 * verdict.max_score
        and not verdict.passed
        and not verdict.misconception
        and wrong_while_watched(keys.hidden[name], outcome.all_answers.get(name, {}))
    ]


def _better_over_ours(keys: LessonKeys, outcome: Outcome, verdicts: Mapping[str, Verdict]) -> dict[str, Verdict]:
    """Return the verdicts on answers over our versions of wrong exercises, if they earn more."""
    over = {name: outcome.all_answers.get(OVER_OURS + name) for name in verdicts}
    found = {name: keys.judge_alone(name, answers) for name, answers in over.items() if answers}
    return {name: verdict for name, verdict in found.items() if verdict.score > verdicts[name].score}


def _over_ours(outcome: Outcome, better: Iterable[str]) -> Outcome:
    """Return the outcome with the answers of some exercises over ours, and without their public answers."""
    answers = {name: found for name, found in outcome.all_answers.items() if name.removeprefix(PUBLIC) not in {*better}}
    answers |= {name: outcome.all_answers[OVER_OURS + name] for name in better}
    names = {name: lacking for name, lacking in outcome.over_ours.items() if not name.startswith(OVER_OURS)}
    return replace(
        outcome,
        all_answers=answers,
        over_ours={**names, **{name: outcome.over_ours[OVER_OURS + name] for name in better}},
    )


def _of_versions_that_count(outcome: Outcome, later: tuple[str, ...]) -> Outcome:
    """Return the outcome with the later version's answers for some exercises, and the first version's for others."""
    names = [name for exercise in later for name in (exercise, PUBLIC + exercise)]
    again = {name: outcome.all_answers[LATER + name] for name in later}
    first = {name: answers for name, answers in outcome.all_answers.items() if name not in names}
    over = {name: lacking for name, lacking in outcome.over_ours.items() if name not in names}
    over = {name: lacking for name, lacking in over.items() if not name.startswith(LATER)}
    over |= {name: outcome.over_ours[LATER + name] for name in later if LATER + name in outcome.over_ours}
    return replace(outcome, all_answers={**first, **again}, over_ours=over)
