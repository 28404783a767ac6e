"""Recognisers of mistakes in lesson 07."""

from __future__ import annotations

from collections.abc import Mapping

from course_lib.checking.questions import Question
from course_lib.checking.recognisers.registry import recogniser, stops_only_with
from course_lib.checking.sheet import Sheet


@recogniser
def stops_at_the_longest_sentence(questions: Mapping[str, Question], sheet: Sheet, reference: Sheet) -> bool:
    """Recognise code that stops if the loss needs one token more than the model can read; elsewhere it is right."""
    return stops_only_with({"longest": ""}, sheet, reference)
