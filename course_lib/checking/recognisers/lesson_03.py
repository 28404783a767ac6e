"""Recognisers of mistakes in lesson 03."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from course_lib.checking.closeness import close
from course_lib.checking.questions import Call, Question
from course_lib.checking.recognisers.registry import recogniser
from course_lib.checking.sheet import Sheet


@recogniser
def weights_are_dropped(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Recognise that some weights are 0 and the others too large by one factor, on each question without a mask."""
    asked = [name for name, q in questions.items() if isinstance(q, Call) and "mask" not in q.arguments]
    dropped = False
    for name in asked:
        ours = sheet[name].values.get("weights") if name in sheet else None
        right = reference[name].values["weights"]
        if not isinstance(ours, Tensor) or not isinstance(right, Tensor) or ours.shape != right.shape:
            return False
        kept = ours != 0
        ratios = ours[kept] / right[kept]
        if ratios.numel() and (float(ratios.min()) <= 1.0 or not close(ratios, ratios[:1].expand_as(ratios))):
            return False
        dropped = dropped or (bool(kept.any()) and not bool(kept.all()))
    return dropped
