"""Matchers of mistakes in lesson 01."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from course_lib.checking.answers import Answers, same_answer
from course_lib.checking.matchers.registry import matcher, stops_only_with
from course_lib.checking.questions import GradientChange, Question


@matcher
def stops_at_a_parameter_without_gradient(
    questions: Mapping[str, Question], answers: Answers, reference: Answers
) -> bool:
    """Recognise code that stops, with any error, if some parameter has no gradient; elsewhere it is right."""
    unused = [
        name
        for name, question in questions.items()
        if isinstance(question, GradientChange) and any(grad is None for grad in question.gradients.values())
    ]
    return stops_only_with(dict.fromkeys(unused, ""), answers, reference)


@matcher
def sentences_must_be_sorted(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise code that stops only with PyTorch's error about unsorted lengths; elsewhere it is right."""
    return stops_only_with(dict.fromkeys(questions, "sorted in decreasing order"), answers, reference)


@matcher
def logarithm_of_a_floor(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise a loss that is right unless it is very large, and then too small: the logarithm has a lower bound."""
    if any(name not in answers or answers[name].error for name in reference):
        return False
    if not all(same_answer(answers[name], right) for name, right in reference.items() if name != "far_apart"):
        return False
    ours, right = (one["far_apart"].values.get("loss") for one in (answers, reference))
    return isinstance(ours, Tensor) and ours.ndim == 0 and isinstance(right, Tensor) and bool(0 < ours < right)


@matcher
def loss_overflows(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise a loss that isn't finite if logits are large, even if the decoder is right; elsewhere it is right."""
    large = {"far_apart", "sure_and_right"}
    if any(name not in answers or answers[name].error for name in reference):
        return False
    if not all(same_answer(answers[name], reference[name]) for name in reference.keys() - large):
        return False
    losses = [answers[name].values.get("loss") for name in large]
    return all(isinstance(loss, Tensor) and loss.ndim == 0 and not bool(loss.isfinite()) for loss in losses)
