"""Matchers of mistakes in lesson 00."""

from __future__ import annotations

from collections.abc import Mapping

from course_lib.checking.answers import Answers, same_answer
from course_lib.checking.matchers.registry import matcher, stops_only_with
from course_lib.checking.questions import Call, Question


@matcher
def stops_where_nothing_is_said(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise code that stops, with any error, if the hypothesis is empty; elsewhere it is right."""
    nothing = [
        name for name, q in questions.items() if q.inputs[0].get("hypothesis_length") == 0 and isinstance(q, Call)
    ]
    return stops_only_with(dict.fromkeys(nothing, ""), answers, reference)


@matcher
def stops_where_bleu_is_zero(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise code that stops, with any error, if the score is 0; elsewhere it is right."""
    zero = [name for name, right in reference.items() if right.values.get("bleu") == 0]
    return stops_only_with(dict.fromkeys(zero, ""), answers, reference)


@matcher
def a_little_where_bleu_is_zero(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise scores slightly above 0 that should be 0 as nothing, or no 4-gram, matches; the rest is right."""
    for name, right in reference.items():
        if name not in answers:
            return False
        ours = answers[name].values.get("bleu")
        little = isinstance(ours, float) and 0 < ours < 5
        if name == "no_match" and not little:
            return False
        if name not in ("no_match", "no_4_gram") and not same_answer(answers[name], right):
            return False
        if name == "no_4_gram" and not (little or answers[name].error or same_answer(answers[name], right)):
            return False
    return "no_match" in reference


@matcher
def stops_at_unknown_tokens(questions: Mapping[str, Question], answers: Answers, reference: Answers) -> bool:
    """Recognise code that stops, with any error, if it should return `unk_id`; elsewhere it is right."""
    unknown = [
        name
        for name, right in reference.items()
        if any(3 in call.get("encode", ()) for call in right.values.get("calls", ()))
    ]
    return stops_only_with(dict.fromkeys(unknown, ""), answers, reference)
