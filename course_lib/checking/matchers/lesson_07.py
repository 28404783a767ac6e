"""Matchers of mistakes in lesson 07."""

from __future__ import annotations

from collections.abc import Mapping

from course_lib.checking.answers import Answers
from course_lib.checking.matchers.registry import matcher, stops_only_with
from course_lib.checking.questions import Question


@matcher
def stops_at_the_longest_sentence(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise code that stops if the loss needs one token more than the model can read; elsewhere it is right."""
    return stops_only_with({"longest": ""}, answers, reference)
