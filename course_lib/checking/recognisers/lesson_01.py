"""Recognisers of mistakes in lesson 01."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from course_lib.checking.questions import GradientChange, Question
from course_lib.checking.recognisers.registry import recogniser, stops_only_with
from course_lib.checking.sheet import Sheet, same_answer


@recogniser
def stops_at_a_parameter_without_gradient(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Recognise code that stops, with any error, if some parameter has no gradient; elsewhere it is right."""
    unused = [
        name
        for name, question in questions.items()
        if isinstance(question, GradientChange) and any(grad is None for grad in question.gradients.values())
    ]
    return stops_only_with(dict.fromkeys(unused, ""), sheet, reference)


@recogniser
def sentences_must_be_sorted(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Recognise code that stops only with PyTorch's error about unsorted lengths; elsewhere it is right."""
    return stops_only_with(dict.fromkeys(questions, "sorted in decreasing order"), sheet, reference)


@recogniser
def logarithm_of_a_floor(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Recognise a loss that is right unless it is very large, and then too small: the logarithm has a lower bound."""
    if any(name not in sheet or sheet[name].error for name in reference):
        return False
    if not all(same_answer(sheet[name], right) for name, right in reference.items() if name != "far_apart"):
        return False
    ours, right = (one["far_apart"].values.get("loss") for one in (sheet, reference))
    return isinstance(ours, Tensor) and ours.ndim == 0 and isinstance(right, Tensor) and bool(0 < ours < right)


@recogniser
def loss_overflows(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Recognise a loss that isn't finite if logits are large, even if the decoder is right; elsewhere it is right."""
    large = {"far_apart", "sure_and_right"}
    if any(name not in sheet or sheet[name].error for name in reference):
        return False
    if not all(same_answer(sheet[name], reference[name]) for name in reference.keys() - large):
        return False
    losses = [sheet[name].values.get("loss") for name in large]
    return all(isinstance(loss, Tensor) and loss.ndim == 0 and not bool(loss.isfinite()) for loss in losses)
