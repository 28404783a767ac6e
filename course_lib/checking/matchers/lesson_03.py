"""Matchers of mistakes in lesson 03."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import torch
from torch import Tensor

from course_lib.checking.answers import Answers
from course_lib.checking.matchers.registry import matcher
from course_lib.checking.questions import Call, Question


@matcher
def weights_are_dropped(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise outputs that mix only some of the values, with weights that are all too large by one factor.

    It looks at questions without a mask. Of a few values, it tries every subset.
    """
    factors: list[float] = []
    for name, question in questions.items():
        if not isinstance(question, Call) or "mask" in question.arguments or name not in answers:
            continue
        values, output = question.arguments["value"], answers[name].values.get("output")
        if isinstance(values, Tensor) and values.size(-1) == 1:
            continue  # a single number fits every subset
        weights = reference[name].values["weights"]
        if not isinstance(output, Tensor) or not isinstance(values, Tensor) or not isinstance(weights, Tensor):
            return False
        if output.shape != (*weights.shape[:-1], values.shape[-1]):
            return False
        values = values.unsqueeze(-3).expand(*weights.shape, -1)  # (..., T, S, Dv)
        rows = zip(output.flatten(0, -2), weights.flatten(0, -2), values.flatten(0, -3), strict=True)
        for row, weight, value in rows:
            factor = _factor(row.double(), weight.double(), value.double())
            if factor is None:
                return False
            factors += [factor] if factor else []
    return bool(factors) and min(factors) > 1 + 1e-6 and max(factors) - min(factors) < 1e-6


def _factor(output: Tensor, weights: Tensor, values: Tensor) -> float | None:
    """Return the factor by which the kept weights grew, 0.0 if all were dropped, or None if nothing fits."""
    if not output.any():
        return 0.0
    kept = torch.tensor(list(product((0.0, 1.0), repeat=len(weights)))[1:], dtype=torch.float64)  # (2**S - 1, S)
    mixtures = (kept * weights) @ values  # (2**S - 1, Dv)
    factors = (mixtures @ output) / mixtures.square().sum(dim=-1)  # (2**S - 1,)
    gaps = (factors[:, None] * mixtures - output).abs().amax(dim=-1)  # (2**S - 1,)
    best = int(gaps.argmin())
    return factors[best].item() if gaps[best] < 1e-9 else None
