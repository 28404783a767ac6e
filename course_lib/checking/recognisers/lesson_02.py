"""Recognisers of mistakes in lesson 02."""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor

from course_lib.checking.closeness import close
from course_lib.checking.exercise import Question
from course_lib.checking.recognisers.registry import recogniser, stops_only_with
from course_lib.checking.sheet import Sheet, same_answer
from course_lib.checking.values import pick


def _widths(questions: Mapping[str, Question]) -> dict[str, tuple[int, int]]:
    """The widths of state and values, by question."""
    built = {name: question.given["build"] for name, question in questions.items() if "build" in question.given}
    return {name: (build["d_state"], build["d_value"]) for name, build in built.items()}


@recogniser
def state_and_context_added(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Where their widths differ, adding stops it; where they are the same, the layer that is twice as wide."""
    widths = _widths(questions).items()
    added, product = "must match the size of tensor", "mat1 and mat2 shapes cannot be multiplied"
    return stops_only_with({name: added if d != d_v else product for name, (d, d_v) in widths}, sheet, reference)


@recogniser
def context_alone(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Its layer is stopped by something as wide as the context."""
    widths = _widths(questions).items()
    return stops_only_with({name: f"x{d_v} and {d_v + d}x{d})" for name, (d, d_v) in widths}, sheet, reference)


@recogniser
def state_alone(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Its layer is stopped by something as wide as the state."""
    widths = _widths(questions).items()
    return stops_only_with({name: f"x{d} and {d_v + d}x{d})" for name, (d, d_v) in widths}, sheet, reference)


def _score_of_masked_keys(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> tuple[float, float]:
    """The constant that masked keys score, and the one that is added to their scores: each nan where there is none.

    Read from the weights: within a row, the logarithm of a weight is its score up to one number.
    """
    nothing = (math.nan, math.nan)
    if not all(name in sheet and not sheet[name].error for name in reference):
        return nothing
    unmasked = [name for name, question in questions.items() if "mask" not in question.given.get("arguments", {})]
    if not all(same_answer(sheet[name], reference[name]) for name in unmasked):
        return nothing
    given, ours = questions["masked"].given["arguments"], sheet["masked"].values
    weights, context, mask = ours.get("weights"), ours.get("context"), given["mask"]
    if not isinstance(weights, Tensor) or weights.shape != mask.shape or not bool((weights > 0).all()):
        return nothing
    if not close(context, torch.einsum("bs,bsd->bd", weights, given["values"])):
        return nothing
    seen = weights.log() - given["scores"]  # of seen keys, the same number throughout a row
    row = torch.where(mask, seen, -math.inf).amax(dim=1, keepdim=True)
    if not bool(((seen - row).abs() < 1e-4)[mask].all()):
        return nothing
    constant, added = (weights.log() - row)[~mask], (seen - row)[~mask]
    one, other = (x.mean() if bool((x - x.mean()).abs().max() < 1e-4) else math.nan for x in (constant, added))
    return float(one), float(other)


@recogniser
def masked_keys_score_zero(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Masked keys have the weight that a score of 0 earns."""
    return abs(_score_of_masked_keys(questions, sheet, reference)[0]) < 1e-4


@recogniser
def masked_keys_score_a_little_less(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Masked keys have the weight that a low constant earns, or that a constant taken from their scores leaves.

    Or only the lowest scores are too low for that constant: there the masked key has all the weight, or had it.
    """
    if any(-700 < constant < -3 for constant in _score_of_masked_keys(questions, sheet, reference)):
        return True
    others = reference.keys() - {"large", "fully_masked"}
    if any(name not in sheet or sheet[name].error for name in reference) or not all(
        same_answer(sheet[name], reference[name]) for name in others
    ):
        return False
    ours, right = (pick(dict(answers["large"].values), "weights") for answers in (sheet, reference))
    lowest, masked = torch.zeros_like(right[:1]), ~questions["large"].given["arguments"]["mask"][:1]
    return any(close(ours, torch.cat([row, right[1:]])) for row in (lowest, masked.to(lowest.dtype)))


@recogniser
def exponentials_overflow(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """It is right but where scores are large, and nan where the seen scores are too large for exp."""
    if not all(name in sheet and same_answer(sheet[name], reference[name]) for name in reference if name != "large"):
        return False
    ours = sheet["large"].values.get("weights") if "large" in sheet else None
    return isinstance(ours, Tensor) and ours.ndim == 2 and bool(ours[1:2].isnan().any())


@recogniser
def layer_made_at_every_call(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """The same asked again brings another answer, and the layer that was loaded has no part in it."""
    if not all(name in sheet and not sheet[name].error for name in reference):
        return False
    first, _, again = (pick(dict(sheet["plain"].values), f"calls/{call}/scores") for call in range(3))
    gradients = pick(dict(sheet["gradients"].values), "gradients")
    return (
        not close(first, again)
        and isinstance(gradients, dict)
        and gradients.get("w.weight") is None
        and isinstance(gradients.get("query"), Tensor)
    )
