"""Real code brings habits beside its mistake, and still gets its name; what is known in part is told so."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from autograder.exercises import DEFINITIONS
from autograder.exercises.sampler import Sampler
from course_lib.checking.answer_key import AnswerKey, public_key
from course_lib.checking.answers import Answer
from course_lib.checking.ask import ask
from course_lib.checking.explain.diagnosis import diagnose
from course_lib.checking.failure import Failure
from course_lib.checking.judge import Verdict, judge, judge_in_order
from course_lib.our_errors import STRICT

EXERCISE = "scaled_dot_product_attention"


def load(name: str) -> Any:
    return DEFINITIONS[EXERCISE].load(DEFINITIONS[EXERCISE].implementation(name))


def found(implementation: Any) -> tuple[Verdict, str]:
    key = public_key(EXERCISE)
    answers = ask(key.questions, implementation)
    verdict = judge(key, answers)
    return verdict, diagnose(verdict, key, answers).text


def sentence(name: str) -> str:
    return DEFINITIONS[EXERCISE].exercise.misconception(name).sentence


def test_a_mistake_that_also_crashes_on_some_inputs_keeps_its_name() -> None:
    wrong = load("unscaled")

    def no_heads(query: Any, key: Any, value: Any, mask: Any = None) -> Any:
        if query.ndim == 4:
            raise ValueError("three dimensions, please")
        return wrong(query, key, value, mask)

    verdict, text = found(no_heads)
    assert verdict.misconception == "unscaled"
    assert text == f"{sentence('unscaled')} On some input it stops with ValueError."


def test_a_mistake_that_also_writes_into_its_inputs_keeps_its_name() -> None:
    def clipped_in_place(scores: Any, axis: int = -1) -> Any:
        exponentials = np.exp(np.clip(scores, -600, 600, out=scores))
        return exponentials / exponentials.sum(axis=axis, keepdims=True)

    key = public_key("softmax")
    assert judge(key, ask(key.questions, clipped_in_place)).misconception == "scores_clipped"


def test_a_mistake_that_also_returns_another_dtype_keeps_its_name() -> None:
    def pads_on_the_left(sentences: Any, pad_id: int) -> Any:
        if not sentences:
            raise ValueError("no sentences")
        width = max(map(len, sentences))
        return torch.tensor([[pad_id] * (width - len(one)) + list(one) for one in sentences])  # float if all are empty

    key = public_key("pad_batch")
    verdict = judge(key, ask(key.questions, pads_on_the_left))
    assert verdict.misconception == "padded_on_the_left"


def test_a_mistake_with_a_habit_beside_it_is_named_in_part() -> None:
    wrong = load("unscaled")

    def in_a_way_of_its_own(query: Any, key: Any, value: Any, mask: Any = None) -> Any:
        output, weights = wrong(query, key, value, mask)
        return (output, weights) if query.ndim < 4 else (output + 0.01 * torch.sin(output), weights)

    verdict, text = found(in_a_way_of_its_own)
    assert verdict.naming
    assert verdict.misconception == "unscaled"
    assert "plain" in verdict.naming.questions
    assert "heads" not in verdict.naming.questions
    assert text.startswith("On some inputs your answers are exactly those of this mistake:")
    assert text.endswith("On others they are not, so fix this first and check again.")


def test_zeros_have_no_name_though_a_mistake_makes_some() -> None:
    def zeros(query: Any, key: Any, value: Any, mask: Any = None) -> Any:
        return torch.zeros(*query.shape[:-1], value.size(-1)), torch.zeros(*query.shape[:-1], key.size(-2))

    assert found(zeros)[0].naming is None


def test_of_code_that_stops_nearly_everywhere_nothing_is_claimed() -> None:
    wrong = load("unscaled")

    def by_hand_only(query: Any, key: Any, value: Any, mask: Any = None) -> Any:
        if query.ndim > 2:
            raise ValueError
        return wrong(query, key, value, mask)

    assert found(by_hand_only)[0].naming is None


def test_every_question_is_read_by_some_law() -> None:
    for definition in DEFINITIONS.values():
        read = {name for check in definition.exercise.checks for name in check.questions}
        assert {question.name for question in definition.questions(Sampler.public(definition.id))} <= read
    assert replace(DEFINITIONS[EXERCISE].exercise.checks[0], also=("x",)).questions[1:] == ("x",)


def with_a_broken_matcher() -> AnswerKey:
    key = public_key(EXERCISE)
    broken = replace(key.exercise.misconceptions[0], matcher=lambda questions, answers, reference: 1 / 0 > 0)
    return replace(key, exercise=replace(key.exercise, misconceptions=(broken, *key.exercise.misconceptions[1:])))


def test_an_error_in_a_matcher_is_raised_under_test() -> None:
    key = with_a_broken_matcher()
    with pytest.raises(ZeroDivisionError):
        judge(key, key.mistakes["unscaled"])
    with pytest.raises(ZeroDivisionError):
        judge_in_order({EXERCISE: key}, {EXERCISE: key.mistakes["unscaled"]})


def test_an_error_in_a_matcher_is_logged_with_its_traceback_otherwise(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv(STRICT)
    key = with_a_broken_matcher()
    assert judge(key, key.mistakes["unscaled"]).misconception == "unscaled"
    assert "ZeroDivisionError" in caplog.text and "Traceback" in caplog.text


def test_an_error_in_the_judge_costs_one_exercise_and_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv(STRICT)
    key = public_key(EXERCISE)
    rule = key.exercise.checks[0].rule

    def fails(given: Any, answer: Any, reference: Any, **settings: Any) -> Any:
        return rule(given, answer, reference, **settings) if answer else 1 / 0

    checks = (replace(key.exercise.checks[0], rule=fails), *key.exercise.checks[1:])
    odd = {name: Answer({}) for name in key.reference}
    (found,) = judge_in_order(
        {EXERCISE: replace(key, exercise=replace(key.exercise, checks=checks))}, {EXERCISE: odd}
    ).values()
    assert found.score == 0
    assert found.error and found.error.type == Failure.UNJUDGED
    assert "the judge of scaled_dot_product_attention" in caplog.text and "Traceback" in caplog.text
