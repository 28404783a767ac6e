"""What excuses an exercise's answers: an earlier mistake that counts, and only for code that is written by hand."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from keys import answers_of, key_of, wrong_before

from course_lib.checking.answer_key import AnswerKey
from course_lib.checking.answers import Answer, Answers
from course_lib.checking.judge import judge, judge_better

EARLIER, LATER, MISTAKE = "scaled_dot_product_attention", "self_attention", "unscaled"


@cache
def keys() -> dict[str, AnswerKey]:
    """Return both exercises' keys. They are made by the first test and not on import, which every process does."""
    return {name: key_of(name, "hidden") for name in (EARLIER, LATER)}


def answers(exercise: str, implementation: str) -> Answers:
    return answers_of(exercise, "hidden").all_answers[implementation]


def right_over(mistake: str) -> Answers:
    """The answers of a right self_attention that builds on a wrong attention."""
    return keys()[LATER].carried[EARLIER, mistake][0].answers


def test_a_mistake_that_was_repaired_at_its_check_excuses_no_later_version() -> None:
    first = {EARLIER: keys()[EARLIER].reference, LATER: answers(LATER, MISTAKE)}
    last = {EARLIER: answers(EARLIER, MISTAKE), LATER: right_over(MISTAKE)}
    verdicts, _ = judge_better(keys(), first, last)
    assert verdicts[EARLIER].passed
    assert verdicts[LATER].carried is None
    assert verdicts[LATER].score == judge(keys()[LATER], answers(LATER, MISTAKE)).score


def test_a_mistake_that_was_repaired_below_excuses_no_first_version() -> None:
    first = {EARLIER: answers(EARLIER, MISTAKE), LATER: right_over(MISTAKE)}
    last = {EARLIER: keys()[EARLIER].reference, LATER: answers(LATER, MISTAKE)}
    verdicts, later = judge_better(keys(), first, last)
    assert later == (EARLIER,)
    assert verdicts[LATER].carried is None
    assert not verdicts[LATER].passed


def test_right_code_loses_nothing_to_a_mistake_that_is_repaired_below() -> None:
    first = {EARLIER: answers(EARLIER, MISTAKE), LATER: right_over(MISTAKE)}
    verdicts, later = judge_better(keys(), first, {name: key.reference for name, key in keys().items()})
    assert later == (EARLIER, LATER)
    assert all(verdict.passed for verdict in verdicts.values())


def test_a_mistake_in_the_version_that_counts_excuses_the_same_run() -> None:
    first = {EARLIER: answers(EARLIER, MISTAKE), LATER: right_over(MISTAKE)}
    verdicts, _ = judge_better(keys(), first, {EARLIER: answers(EARLIER, "divided_by_d_k"), LATER: {}})
    assert verdicts[LATER].carried == (EARLIER, MISTAKE)


def with_gate(key: AnswerKey) -> AnswerKey:
    """The key in a course that gives no points for calls of finished functions."""
    checks = (replace(check, gate=key.question(check.question).watched) for check in key.exercise.checks)
    return replace(key, exercise=replace(key.exercise, checks=tuple(checks)))


@pytest.mark.slow
def test_an_earlier_mistake_excuses_no_call_of_a_finished_function() -> None:
    key = with_gate(key_of("chunked_attention", "hidden"))
    cause, excused = next((cause, found[0]) for cause, found in key.carried.items() if found and found[0].tells)
    by_hand = judge(key, excused.answers, wrong_before(dict([cause])))
    assert by_hand.carried == cause
    assert by_hand.score > 0
    called = {
        name: Answer({**answer.values, "called": ["scaled_dot_product_attention"]})
        if key.question(name).watched
        else answer
        for name, answer in excused.answers.items()
    }
    verdict = judge(key, called, wrong_before(dict([cause])))
    assert verdict.carried is None
    assert verdict.score == 0
