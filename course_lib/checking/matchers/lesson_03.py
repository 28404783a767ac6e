"""Matchers of mistakes in lesson 03."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from course_lib.checking.answers import Answers
from course_lib.checking.closeness import close
from course_lib.checking.matchers.registry import matcher
from course_lib.checking.questions import Call, Question


@matcher
def weights_are_dropped(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise that some weights are 0 and the others too large by one factor, on each question without a mask."""
    asked = [name for name, q in questions.items() if isinstance(q, Call) and "mask" not in q.arguments]
    dropped = False
    for name in asked:
        ours = answers[name].values.get("weights") if name in answers else None
        right = reference[name].values["weights"]
        if not isinstance(ours, Tensor) or not isinstance(right, Tensor) or ours.shape != right.shape:
            return False
        kept = ours != 0
        ratios = ours[kept] / right[kept]
        if ratios.numel() and (float(ratios.min()) <= 1.0 or not close(ratios, ratios[:1].expand_as(ratios))):
            return False
        dropped = dropped or (bool(kept.any()) and not bool(kept.all()))
    return dropped
