"""Matchers of mistakes in lesson 02."""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor

from course_lib.checking.answers import Answers, same_answer
from course_lib.checking.closeness import close
from course_lib.checking.matchers.registry import matcher, stops_only_with
from course_lib.checking.questions import Module, Question
from course_lib.checking.values import pick


def _widths(questions: Mapping[str, Question]) -> dict[str, tuple[int, int]]:
    """Return the widths of state and values, by question."""
    built = {name: question.build for name, question in questions.items() if isinstance(question, Module)}
    return {name: (build["d_state"], build["d_value"]) for name, build in built.items()}


@matcher
def state_and_context_added(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise the errors of adding: in the sum if the widths differ, else in the layer, which is twice as wide."""
    widths = _widths(questions).items()
    added, product = "must match the size of tensor", "mat1 and mat2 shapes cannot be multiplied"
    return stops_only_with({name: added if d != d_v else product for name, (d, d_v) in widths}, answers, reference)


@matcher
def context_alone(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise code whose layer fails because its input is only as wide as the context."""
    widths = _widths(questions).items()
    return stops_only_with({name: f"x{d_v} and {d_v + d}x{d})" for name, (d, d_v) in widths}, answers, reference)


@matcher
def state_alone(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise code whose layer fails because its input is only as wide as the state."""
    widths = _widths(questions).items()
    return stops_only_with({name: f"x{d} and {d_v + d}x{d})" for name, (d, d_v) in widths}, answers, reference)


def _score_of_masked_keys(
    questions: Mapping[str, Question], answers: Answers, reference: Answers
) -> tuple[float, float]:
    """Return the constant score of masked keys, and the constant added to their scores; each is nan if there is none.

    Both follow from the weights: the logarithm of a weight is its score, up to one constant per row.
    """
    nothing = (math.nan, math.nan)
    if not all(name in answers and not answers[name].error for name in reference):
        return nothing
    unmasked = [name for name, question in questions.items() if "mask" not in question.inputs[-1]]
    if not all(same_answer(answers[name], reference[name]) for name in unmasked):
        return nothing
    given, ours = questions["masked"].inputs[0], answers["masked"].values
    weights, context, mask = ours.get("weights"), ours.get("context"), given["mask"]
    if not isinstance(weights, Tensor) or weights.shape != mask.shape or not bool((weights > 0).all()):
        return nothing
    if not close(context, torch.einsum("bs,bsd->bd", weights, given["values"])):
        return nothing
    seen = weights.log() - given["scores"]  # the same number throughout a row, at unmasked keys
    row = torch.where(mask, seen, -math.inf).amax(dim=1, keepdim=True)
    if not bool(((seen - row).abs() < 1e-4)[mask].all()):
        return nothing
    constant, added = (weights.log() - row)[~mask], (seen - row)[~mask]
    one, other = (x.mean() if bool((x - x.mean()).abs().max() < 1e-4) else math.nan for x in (constant, added))
    return float(one), float(other)


@matcher
def masked_keys_score_zero(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise masked keys that have the weight of a score of 0."""
    return abs(_score_of_masked_keys(questions, answers, reference)[0]) < 1e-4


@matcher
def masked_keys_score_a_little_less(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise masked keys whose score is a low constant, or from whose scores a constant was subtracted.

    If only the lowest scores show the mistake, the masked key has all of the weight there, or had it before it was
    set to 0.
    """
    if any(-700 < constant < -3 for constant in _score_of_masked_keys(questions, answers, reference)):
        return True
    others = reference.keys() - {"large", "fully_masked"}
    if any(name not in answers or answers[name].error for name in reference) or not all(
        same_answer(answers[name], reference[name]) for name in others
    ):
        return False
    ours, right = (pick(dict(one["large"].values), "weights") for one in (answers, reference))
    lowest, masked = torch.zeros_like(right[:1]), ~questions["large"].inputs[0]["mask"][:1]
    return any(close(ours, torch.cat([row, right[1:]])) for row in (lowest, masked.to(lowest.dtype)))


@matcher
def exponentials_overflow(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise code that is right unless scores are large, and returns nan if unmasked scores overflow exp."""
    if not all(
        name in answers and same_answer(answers[name], reference[name]) for name in reference if name != "large"
    ):
        return False
    ours = answers["large"].values.get("weights") if "large" in answers else None
    return isinstance(ours, Tensor) and ours.ndim == 2 and bool(ours[1:2].isnan().any())


@matcher
def layer_made_at_every_call(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise a layer that gives a new answer at every call and doesn't use the loaded weights."""
    if not all(name in answers and not answers[name].error for name in reference):
        return False
    first, _, again = (pick(dict(answers["plain"].values), f"calls/{call}/scores") for call in range(3))
    gradients = pick(dict(answers["gradients"].values), "gradients")
    return (
        not close(first, again)
        and isinstance(gradients, dict)
        and gradients.get("w.weight") is None
        and isinstance(gradients.get("query"), Tensor)
    )
