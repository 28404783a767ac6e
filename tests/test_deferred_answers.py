"""Only returned values count as answers: code that computes when an answer is read earns no point."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.exercises import DEFINITIONS
from autograder.exercises.sampler import Sampler
from course_lib.checking.answer_key import AnswerKey
from course_lib.checking.ask import ask
from course_lib.checking.judge import Verdict, judge


def finished(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
    return F.scaled_dot_product_attention(query, key, value, mask)


class Later(torch.Tensor):
    """A tensor that computes its numbers only when they are read."""

    def detach(self) -> Tensor:  # type: ignore[override]
        return self.how()  # type: ignore[attr-defined, no-any-return]


def with_a_method(numbers: Tensor, how: object) -> Tensor:
    numbers.detach = how  # type: ignore[method-assign, assignment]
    return numbers


def with_a_class(numbers: Tensor, how: object) -> Tensor:
    later = numbers.as_subclass(Later)
    later.how = how  # type: ignore[attr-defined]
    return later


@pytest.mark.parametrize("deferred", [with_a_method, with_a_class])
def test_a_value_that_computes_when_it_is_read_is_not_an_answer(deferred: object) -> None:
    def scaled_dot_product_attention(
        query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        eye = torch.eye(key.size(-2), dtype=key.dtype).expand(*key.shape[:-1], -1)
        output = torch.zeros(*query.shape[:-1], value.size(-1), dtype=query.dtype)
        weights = torch.zeros(*query.shape[:-1], key.size(-2), dtype=query.dtype)
        return (
            deferred(output, lambda: finished(query, key, value, mask)),  # type: ignore[operator]
            deferred(weights, lambda: finished(query, key, eye, mask)),  # type: ignore[operator]
        )

    verdict = judged(scaled_dot_product_attention)
    assert verdict.score < 1
    assert "equals_masked" in verdict.broken_checks


def judged(implementation: object) -> Verdict:
    definition = DEFINITIONS["scaled_dot_product_attention"]
    questions = definition.questions(Sampler.public(definition.exercise.id))
    key = AnswerKey(definition.exercise, questions, ask(questions, definition.load(definition.reference)))
    return judge(key, ask(questions, implementation))
