"""Matchers of mistakes in lesson 08."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from course_lib.checking.answers import Answers, same_answer
from course_lib.checking.closeness import close
from course_lib.checking.matchers.any_lesson import another_answer_when_asked_again
from course_lib.checking.matchers.registry import matcher
from course_lib.checking.questions import Question
from course_lib.checking.values import Value, pick


@matcher
def drops_by_chance(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise code that is right except in training mode, where two identical calls give different answers."""
    chance = False
    for name, right in reference.items():
        if name not in answers or answers[name].error:
            return False
        question, ours = questions[name], dict(answers[name].values)
        if question.in_training and len(question.inputs) == 2:
            first, second = (pick(ours, f"calls/{call}/{question.returns[0]}") for call in range(2))
            chance = not close(first, second)
        elif not question.in_training and not same_answer(answers[name], right):
            return False
    return chance


@matcher
def drops_by_chance_and_is_pre_norm(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise random dropping in training, if the only other wrong answers are those of post-norm questions."""
    chance, post = False, []
    for name, right in reference.items():
        if name not in answers or answers[name].error:
            return False
        question, ours = questions[name], dict(answers[name].values)
        if question.in_training and len(question.inputs) == 2:
            first, second = (pick(ours, f"calls/{call}/{question.returns[0]}") for call in range(2))
            chance = not close(first, second)
        elif not question.in_training:
            is_right = same_answer(answers[name], right)
            if question.built_with["norm_first"] and not is_right:
                return False
            if not question.built_with["norm_first"]:
                post.append(is_right)
    return chance and bool(post) and not any(post)


@matcher
def scores_in_place_of_weights(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise scores instead of weights: their softmax is right, and so is everything else."""
    asked = [name for name, question in questions.items() if "weights" in question.returns]
    for name, right in reference.items():
        if name not in answers or answers[name].error:
            return False
        ours, rights = (pick(dict(answer.values), "calls/0") for answer in (answers[name], right))
        if name not in asked:
            if not same_answer(answers[name], right):
                return False
        elif not isinstance(ours, dict) or not (
            close(ours.get("output"), rights["output"]) and _become_weights(ours.get("weights"), rights["weights"])
        ):
            return False
    return bool(asked)


def _become_weights(scores: Value, weights: Value) -> bool:
    """Return whether a softmax turns these scores into these weights, perhaps after the missing mask is applied."""
    if not isinstance(scores, Tensor) or not isinstance(weights, Tensor) or scores.shape != weights.shape:
        return False
    if close(scores, weights):
        return False
    return close(scores.masked_fill(weights == 0, -torch.inf).softmax(dim=-1), weights)


@matcher
def drops_weights_by_chance(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise weights that are right except for those that are dropped, differently at each repeated question."""
    if not another_answer_when_asked_again(questions, answers, reference):
        return False
    for name, question in questions.items():
        if "weights" not in question.returns:
            continue
        if name not in answers:
            return False
        ours, right = (pick(dict(one[name].values), "calls/0/weights") for one in (answers, reference))
        if not isinstance(ours, Tensor) or not isinstance(right, Tensor) or ours.shape != right.shape:
            return False
        kept = ours != 0
        grown = ours[kept].sum() / right[kept].sum()
        if not kept.any() or not close(ours, torch.where(kept, right * grown, torch.zeros_like(right))):
            return False
    return True
